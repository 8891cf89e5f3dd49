import type { RgbImage } from './decode-jpeg.js';

/** Messages of the JPEG thread; an answer has the number of its request. */
export interface JpegRequest {
  id: number;
  jpeg: Uint8Array;
}
export type JpegReply = { id: number } & ({ picture: RgbImage } | { failure: string });
