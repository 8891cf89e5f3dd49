import type { Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';
import { startThread } from '@adit/runtime';
import type { JpegReply, JpegRequest } from './jpeg-requests.js';
import type { RgbImage } from './decode-jpeg.js';

interface Waiting {
  resolve: (picture: RgbImage) => void;
  reject: (error: Error) => void;
}

/**
 * Decodes the pictures of films in a worker thread, several at a time. V8 counts their megabytes against the heap of
 * the decoding thread and collects it every few frames; the worker's heap is small. The caller owns the result and can
 * free it at once (`freeArray`).
 */
export class JpegThread {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  /** Decodes as `decodeJpeg`. Throws INTERNAL when the thread dies; the next picture starts another. */
  decode(jpeg: Uint8Array): Promise<RgbImage> {
    const worker = (this.worker ??= this.start());
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.ref();
      // A copy, because posting a view would send the whole buffer.
      const own = new Uint8Array(jpeg);
      worker.postMessage({ id, jpeg: own } satisfies JpegRequest, [own.buffer]);
    });
  }

  private start(): Worker {
    const worker = startThread('jpeg-worker', import.meta.url);
    worker.on('message', (reply: JpegReply) => this.answered(reply, worker));
    worker.once('error', (cause) => this.lose(worker, cause));
    worker.once('exit', () => this.lose(worker, new Error('it ended without an answer')));
    return worker;
  }

  private answered(reply: JpegReply, worker: Worker): void {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    // An idle thread does not keep the process alive.
    if (this.waiting.size === 0) worker.unref();
    if ('picture' in reply) waiting?.resolve(reply.picture);
    else waiting?.reject(new Error(reply.failure));
  }

  private lose(worker: Worker, cause: Error): void {
    if (this.worker !== worker) return;
    this.worker = null;
    const error = new AditError('INTERNAL', 'The thread that decodes pictures has died. Try again.', { cause });
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

/** Instance of this process. */
export const JPEGS = new JpegThread();
