import { AditError } from '@adit/contracts';
import { pointerTo } from '@adit/module-kit';
import type { InstalledModel } from '@adit/module-kit';
import { chooseOfKind, installedList } from '../galleries/choose.js';
import { LANDMARK_MODEL } from '../galleries/kinds.js';
import { howToGet } from '../pretrained.js';
import { PUBLIC_MODEL } from './args.js';
import type { LandmarkArguments } from './args.js';

/**
 * Returns the landmark model of a request; see `chooseOfKind`. Without any there is nothing to recognise, which is
 * MODEL_NOT_INSTALLED too, with a list of the installed ones.
 */
export function chooseModel(args: Pick<LandmarkArguments, 'model'>, installed: InstalledModel[]): string[] {
  const { module } = LANDMARK_MODEL;
  const chosen = chooseOfKind(args, installed, { kind: LANDMARK_MODEL, preferred: PUBLIC_MODEL, module });
  if (chosen.length > 0) return chosen;
  const message = `${module} needs a model, ${PUBLIC_MODEL} is not installed, and no other is the default. Name one, or build one of photos: adit landmark build.`;
  throw new AditError(
    'MODEL_NOT_INSTALLED',
    `${message} ${installedList(installed, LANDMARK_MODEL)}${howToGet([PUBLIC_MODEL])}`,
    {
      errors: [{ pointer: pointerTo('modules', module, 'model'), code: 'model_not_installed', message }],
    },
  );
}
