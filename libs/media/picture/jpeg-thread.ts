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
 * Decodes the pictures of films in a thread of its own, several at a time. V8 counts their megabytes against the heap of the thread
 * that decodes, and collects all of that every few frames: there it is small. What comes out belongs to who asked, who can give its
 * memory back at once (`freeArray`).
 */
export class JpegThread {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  /** As `decodeJpeg`; INTERNAL when the thread dies, the next picture starts another. */
  decode(jpeg: Uint8Array): Promise<RgbImage> {
    const worker = (this.worker ??= this.start());
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.ref();
      // A copy of its own: of a part of a larger buffer all of it would be sent.
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
    // Nobody's end waits for it.
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

/** The one of this process. */
export const JPEGS = new JpegThread();
