import { sharp } from './sharp.js';

/** Decoded pixels: interleaved 8-bit RGB, row after row; length is width × height × 3. */
export interface RgbImage {
  data: Uint8Array;
  width: number;
  height: number;
}

/** Decodes a JPEG of our own making to RGB pixels, with no orientation or colour work left to do. */
export async function decodeJpeg(jpeg: Uint8Array): Promise<RgbImage> {
  const open = await sharp();
  // Not toUint8Array(): its memory is never freed (sharp 0.35), not even by the garbage collector.
  const { data, info } = await open(jpeg, { failOn: 'none' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
