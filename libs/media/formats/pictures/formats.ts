import { GIF } from './gif.js';
import { JPEG } from './jpeg.js';
import type { PictureFormat } from './picture-format.js';
import { PNG } from './png.js';
import { TIFF } from './tiff.js';
import { WEBP } from './webp.js';

/** Picture formats that are mined. */
export const PICTURE_FORMATS: readonly PictureFormat[] = [JPEG, PNG, WEBP, TIFF, GIF];

/** Tests the end of a file name or address. */
export function isPictureName(name: string): boolean {
  const path = name.replace(/[?#].*$/, '').toLowerCase();
  return PICTURE_FORMATS.some(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));
}
