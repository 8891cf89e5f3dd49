import type { RgbImage } from './decode-jpeg.js';

/** What the thread of pictures is asked, and what it answers under the same number. */
export interface JpegRequest {
  id: number;
  jpeg: Uint8Array;
}
export type JpegReply = { id: number } & ({ picture: RgbImage } | { failure: string });
