import { AditError } from '@adit/contracts';
import type { ErrorDetail } from '@adit/contracts';
import { pointerTo } from '@adit/module-kit';
import type { InstalledModel } from '@adit/module-kit';
import { howToGet } from '../pretrained.js';
import { galleriesOf, type GalleryKind } from './kinds.js';

/** Galleries in a request. */
export interface Asked {
  model?: string | undefined;
  models?: string[] | undefined;
}

/**
 * Returns the galleries of a kind that a request is matched against; `module` is the caller. A named one, by name or
 * digest, has to be installed, else MODEL_NOT_INSTALLED lists the installed ones. Without a name it is `preferred`,
 * else the default one, else the only one, else none.
 */
export function chooseOfKind(
  { model, models = [] }: Asked,
  installed: InstalledModel[],
  { kind, preferred, module }: { kind: GalleryKind; preferred: string; module: string },
): string[] {
  const galleries = installed.filter(galleriesOf(kind).includes);
  const asked = [
    ...(model === undefined ? [] : [{ text: model, pointer: pointerTo('modules', module, 'model') }]),
    ...models.map((text, index) => ({ text, pointer: pointerTo('modules', module, 'models', index) })),
  ];
  if (asked.length === 0) return byDefault(galleries, preferred);

  const chosen: string[] = [];
  const missing: string[] = [];
  const errors: ErrorDetail[] = [];
  for (const { text, pointer } of asked) {
    const found = galleries.find((gallery) => gallery.name === text || gallery.digest === text);
    if (found !== undefined) {
      chosen.push(found.name);
      continue;
    }
    missing.push(text);
    errors.push({ pointer, code: 'model_not_installed', message: `The ${kind.noun} ${text} is not installed.` });
  }
  if (errors.length > 0) {
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `${errors.map((error) => error.message).join(' ')} ${installedList(installed, kind)}${howToGet(missing)}`,
      { errors },
    );
  }
  return [...new Set(chosen)];
}

/** Lists the installed ones of a kind, for messages. */
export function installedList(installed: InstalledModel[], kind: GalleryKind): string {
  const names = namesOf(installed.filter(galleriesOf(kind).includes));
  return `Installed ${kind.plural}: ${names.join(', ') || 'none'}.`;
}

function byDefault(galleries: InstalledModel[], preferred: string): string[] {
  const names = namesOf(galleries);
  if (names.includes(preferred)) return [preferred];
  const defaults = namesOf(galleries.filter((gallery) => gallery.isDefault));
  if (defaults.length === 1) return defaults;
  return names.length === 1 ? names : [];
}

function namesOf(galleries: InstalledModel[]): string[] {
  return [...new Set(galleries.map(({ name }) => name))].sort();
}
