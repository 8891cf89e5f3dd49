/** Worker thread that decodes pictures of packs, started by `JpegThread`. */
import { parentPort } from 'node:worker_threads';
import type { JpegReply, JpegRequest } from './jpeg-requests.js';
// No other imports: a small heap keeps this thread's garbage collections short.
import { decodeJpeg } from './decode-jpeg.js';

parentPort?.on('message', (request: JpegRequest) => void answer(request));

async function answer({ id, jpeg }: JpegRequest): Promise<void> {
  try {
    const { data, width, height } = await decodeJpeg(jpeg);
    // sharp's memory cannot be transferred to another thread.
    const own = new Uint8Array(data);
    parentPort?.postMessage({ id, picture: { data: own, width, height } } satisfies JpegReply, [own.buffer]);
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    parentPort?.postMessage({ id, failure } satisfies JpegReply);
  }
}
