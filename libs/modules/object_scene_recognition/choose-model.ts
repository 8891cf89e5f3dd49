import { AditError } from '@adit/contracts';
import type { ErrorDetail } from '@adit/contracts';
import { pointerTo } from '@adit/mining';
import type { InstalledModel } from '@adit/mining';
import { DEFAULT_MODEL, ZERO_SHOT_MODEL } from './args.js';
import type { ObjectSceneArguments } from './args.js';

const ID = 'object_scene_recognition';

/**
 * The model a request is answered with: `general-c`, by name, digest or default. What only another model could answer
 * (words, captions) is MODEL_NOT_INSTALLED, a 400 that lists what is installed.
 */
export function chooseModel(args: ObjectSceneArguments, installed: InstalledModel[]): string[] {
  const usable = installed.filter(({ kind, name, modules }) => {
    // The network that the analysis `objects` looks with; weights of one's own go under the same name.
    return kind === 'network' && name === DEFAULT_MODEL && modules.includes(ID);
  });
  const { model = DEFAULT_MODEL } = args;
  const errors: ErrorDetail[] = [];
  const missing = (argument: string, message: string): void => {
    errors.push({ pointer: pointerTo('modules', ID, argument), code: 'model_not_installed', message });
  };
  const chosen = usable.find(({ name, digest }) => name === model || digest === model);
  if (chosen === undefined) missing('model', `The model ${model} is not installed.`);
  if (args.words !== undefined) missing('words', `words need the model ${ZERO_SHOT_MODEL}, which is not installed.`);
  if (!args.include_preset_labels) {
    missing(
      'include_preset_labels',
      `Without its preset labels ${model} has none; the model ${ZERO_SHOT_MODEL}, which has, is not installed.`,
    );
  }
  if (args.enable_captioning)
    missing('enable_captioning', 'enable_captioning needs a captioning model, which is not installed.');
  if (errors.length > 0) {
    const names = [...new Set(usable.map(({ name }) => name))].join(', ') || 'none';
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `${errors.map(({ message }) => message).join(' ')} Installed models of ${ID}: ${names}.`,
      { errors },
    );
  }
  return chosen === undefined ? [] : [chosen.name];
}
