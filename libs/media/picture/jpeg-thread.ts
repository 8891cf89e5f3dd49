import { AditError } from '@adit/contracts';
import { startThread, ThreadClient } from '@adit/runtime';
import type { RgbImage } from './decode-jpeg.js';

/**
 * Decodes the pictures of films in a worker thread, several at a time. V8 counts their megabytes against the heap of
 * the decoding thread and collects it every few frames; the worker's heap is small. The caller owns the result and can
 * free it at once (`freeArray`).
 */
export class JpegThread {
  private readonly thread = new ThreadClient<Uint8Array, RgbImage>({
    start: () => startThread('jpeg-worker', import.meta.url),
    died: (cause) => new AditError('INTERNAL', 'The thread that decodes pictures has died. Try again.', { cause }),
  });

  /** Decodes as `decodeJpeg`. Throws INTERNAL when the thread dies; the next picture starts another. */
  decode(jpeg: Uint8Array): Promise<RgbImage> {
    // A copy of its own: of a part of a larger buffer all of it would be sent.
    const own = new Uint8Array(jpeg);
    return this.thread.request(own, [own.buffer]);
  }
}

/** Instance of this process. */
export const JPEGS = new JpegThread();
