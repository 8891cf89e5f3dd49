import { AditError } from '@adit/contracts';
import type { ErrorDetail } from '@adit/contracts';
import { pointerTo } from '@adit/mining';
import type { InstalledModel } from '@adit/mining';
import { PUBLIC_GALLERY } from './args.js';
import type { FaceRecognitionArguments } from './args.js';

const ID = 'face_recognition';

/**
 * Names of the galleries a request is matched against. One that is named has to be installed, else MODEL_NOT_INSTALLED
 * lists what is (`module` is who asks); with none named it is `celebrities`, else the default one, else the only one, else
 * none: everybody is
 * unknown then.
 */
export function chooseGalleries(
  args: Pick<FaceRecognitionArguments, 'model' | 'models'>,
  installed: InstalledModel[],
  module = ID,
): string[] {
  const galleries = installed.filter((model) => model.kind === 'gallery' && model.modules.includes(ID));
  const names = [...new Set(galleries.map((gallery) => gallery.name))].sort();
  const asked = [
    ...(args.model === undefined ? [] : [{ text: args.model, pointer: pointerTo('modules', module, 'model') }]),
    ...(args.models ?? []).map((text, index) => ({ text, pointer: pointerTo('modules', module, 'models', index) })),
  ];
  if (asked.length === 0) return byDefault(galleries, names);

  const chosen: string[] = [];
  const errors: ErrorDetail[] = [];
  for (const { text, pointer } of asked) {
    const found = galleries.find((gallery) => gallery.name === text || gallery.digest === text);
    if (found !== undefined) chosen.push(found.name);
    else errors.push({ pointer, code: 'model_not_installed', message: `The face gallery ${text} is not installed.` });
  }
  if (errors.length > 0) {
    const list = names.length === 0 ? 'none' : names.join(', ');
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `${errors.map((error) => error.message).join(' ')} Installed face galleries: ${list}.`,
      { errors },
    );
  }
  return [...new Set(chosen)];
}

function byDefault(galleries: InstalledModel[], names: string[]): string[] {
  if (names.includes(PUBLIC_GALLERY)) return [PUBLIC_GALLERY];
  const defaults = [...new Set(galleries.filter((gallery) => gallery.isDefault).map((gallery) => gallery.name))];
  if (defaults.length === 1) return defaults;
  return names.length === 1 ? names : [];
}
