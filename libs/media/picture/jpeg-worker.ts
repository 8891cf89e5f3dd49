/** The thread that decodes pictures of packs, as `JpegThread` starts it. */
import { answerRequests } from '@adit/runtime/thread-requests';
// Nothing else of ours: the smaller the heap of this thread, the less its collections take.
import { decodeJpeg } from './decode-jpeg.js';

answerRequests(
  async (jpeg: Uint8Array) => {
    const { data, width, height } = await decodeJpeg(jpeg);
    // sharp's memory cannot be moved to another thread.
    return { data: new Uint8Array(data), width, height };
  },
  ({ data }) => [data.buffer],
);
