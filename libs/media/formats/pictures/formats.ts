import { JPEG } from './jpeg.js';
import type { PictureFormat } from './picture-format.js';
import { PNG } from './png.js';
import { TIFF } from './tiff.js';
import { WEBP } from './webp.js';

/** Every kind of picture that is mined. */
export const PICTURE_FORMATS: readonly PictureFormat[] = [JPEG, PNG, WEBP, TIFF];

/** By the end of a name or of an address. */
export function isPictureName(name: string): boolean {
  const path = name.replace(/[?#].*$/, '').toLowerCase();
  return PICTURE_FORMATS.some(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));
}
