import { sharp } from './sharp.js';

/** Decoded pixels: interleaved 8-bit RGB, row after row; length is width × height × 3. */
export interface RgbImage {
  data: Uint8Array;
  width: number;
  height: number;
}

/** Decodes a JPEG made by Adit to RGB pixels; it needs no orientation or colour conversion. */
export async function decodeJpeg(jpeg: Uint8Array): Promise<RgbImage> {
  const open = await sharp();
  // `toUint8Array()` is avoided because its memory is never freed (sharp 0.35), not even by the garbage collector.
  const { data, info } = await open(jpeg, { failOn: 'none' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
