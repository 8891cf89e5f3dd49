import { AditError } from '@adit/contracts';
import type { ErrorDetail, ModelFamily } from '@adit/contracts';
import { pointerTo } from '@adit/module-kit';
import type { InstalledModel, TakenModels } from '@adit/module-kit';
import { CAPTION_MODEL, DEFAULT_MODEL, SCENE_MODEL, ZERO_SHOT_MODEL } from './args.js';
import type { ObjectSceneArguments } from './args.js';

const ID = 'object_scene_recognition';

/** Families of models that a request may name. */
const FAMILIES: ReadonlySet<string | null> = new Set(['detector', 'classifier'] satisfies ModelFamily[]);

/** The one that comes with Adit, and any that says it is of such a family. `scenes` is used beside, never named. */
export const LOOKERS: TakenModels = {
  type: 'object',
  includes: ({ kind, name, family, modules }) =>
    kind === 'network' &&
    name !== SCENE_MODEL &&
    (name === DEFAULT_MODEL || FAMILIES.has(family)) &&
    modules.includes(ID),
};

/**
 * The models a request is answered with: a detector or a classifier, by name, digest or default, and `scenes` where that is installed.
 * What only another model could answer (words, captions) is MODEL_NOT_INSTALLED, a 400 that lists what is installed.
 */
export function chooseModel(args: ObjectSceneArguments, installed: InstalledModel[]): string[] {
  const usable = installed.filter(
    (one) => LOOKERS.includes(one) || (one.kind === 'network' && one.name === SCENE_MODEL && one.modules.includes(ID)),
  );
  const { model = DEFAULT_MODEL } = args;
  const errors: ErrorDetail[] = [];
  const missing = (argument: string, message: string): void => {
    errors.push({ pointer: pointerTo('modules', ID, argument), code: 'model_not_installed', message });
  };
  const chosen = usable.find((one) => LOOKERS.includes(one) && (one.name === model || one.digest === model));
  if (chosen === undefined) missing('model', `The model ${model} is not installed${asChoice(model, usable)}.`);
  if (args.words !== undefined) missing('words', `words need the model ${ZERO_SHOT_MODEL}, which is not installed.`);
  if (!args.include_preset_labels) {
    missing(
      'include_preset_labels',
      `Without its preset labels ${model} has none; the model ${ZERO_SHOT_MODEL}, which has, is not installed.`,
    );
  }
  if (args.enable_captioning) {
    missing(
      'enable_captioning',
      `enable_captioning needs the captioning model ${CAPTION_MODEL}, which is not installed.`,
    );
  }
  if (errors.length > 0) {
    const names = [...new Set(usable.map(({ name }) => name))].join(', ') || 'none';
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `${errors.map(({ message }) => message).join(' ')} Installed models of ${ID}: ${names}.`,
      { errors },
    );
  }
  const scenes = usable.some(({ name }) => name === SCENE_MODEL) ? [SCENE_MODEL] : [];
  if (chosen === undefined) return [];
  // A classifier says by itself what the whole picture shows.
  return chosen.family === 'classifier' ? [chosen.name] : [chosen.name, ...scenes];
}

/** `scenes` is there, but never alone. */
function asChoice(model: string, usable: InstalledModel[]): string {
  const isScenes = usable.some(({ name, digest }) => name === SCENE_MODEL && (name === model || digest === model));
  return isScenes ? ` as one to be named: it is used beside ${DEFAULT_MODEL}, which a request may name` : '';
}
