import { JPEG } from './jpeg.js';
import type { PictureFormat } from './picture-format.js';
import { PNG } from './png.js';

/** Every kind of picture that is mined. */
export const PICTURE_FORMATS: readonly PictureFormat[] = [JPEG, PNG];

/** By the end of a name or of an address. */
export function isPictureName(name: string): boolean {
  const path = name.replace(/[?#].*$/, '').toLowerCase();
  return PICTURE_FORMATS.some(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));
}
