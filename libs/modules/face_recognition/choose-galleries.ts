import type { InstalledModel } from '@adit/module-kit';
import { chooseOfKind, type Asked } from '../galleries/choose.js';
import { FACE_GALLERY } from '../galleries/kinds.js';
import { PUBLIC_GALLERY } from './args.js';

/**
 * Returns the galleries that a request is matched against, `celebrities` when it names none and that is installed; see
 * `chooseOfKind`. `module` is the caller. Without any, everybody is unknown.
 */
export function chooseGalleries(args: Asked, installed: InstalledModel[], module = FACE_GALLERY.module): string[] {
  return chooseOfKind(args, installed, { kind: FACE_GALLERY, preferred: PUBLIC_GALLERY, module });
}
