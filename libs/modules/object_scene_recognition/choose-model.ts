import { AditError } from '@adit/contracts';
import type { ErrorDetail } from '@adit/contracts';
import { MODEL_FAMILIES } from '@adit/inference/families';
import { textEncoderOf } from '@adit/inference/families/image-text/similarity';
import { pointerTo } from '@adit/module-kit';
import type { InstalledModel, TakenModels } from '@adit/module-kit';
import { howToGet } from '../pretrained.js';
import { DEFAULT_MODEL, SCENE_MODEL, ZERO_SHOT_MODEL } from './args.js';
import type { ObjectSceneArguments } from './args.js';
import { chooseCaptioner, FAMILY as CAPTIONING, withDecoder } from './choose-captioner.js';

const ID = 'object_scene_recognition';
/** Family of image-text models. */
const IMAGE_TEXT = 'image-text';

/** The built-in detector, and any model of such a family. `scenes` is used in addition, and never named. */
export const MAIN_MODELS: TakenModels = {
  type: 'object',
  includes: ({ kind, name, family, modules }) =>
    kind === 'network' &&
    name !== SCENE_MODEL &&
    (name === DEFAULT_MODEL || MODEL_FAMILIES.analysisFor(ID, family) !== null) &&
    modules.includes(ID),
};

/**
 * Returns the models of a request: the main one, by name, digest or default; `scenes` beside a detector where that is
 * installed; the captioner, on request. The first one is `model` of the request. Requests that only another model
 * supports (words, captions) are MODEL_NOT_INSTALLED, a 400 that lists the installed ones.
 */
export function chooseModel(args: ObjectSceneArguments, installed: InstalledModel[]): string[] {
  const usable = installed.filter(
    (one) =>
      MAIN_MODELS.includes(one) ||
      (one.kind === 'network' &&
        (one.name === SCENE_MODEL || one.family === 'text-embedding' || one.family === 'text-decoder') &&
        one.modules.includes(ID)),
  );
  const { model = DEFAULT_MODEL } = args;
  const errors: ErrorDetail[] = [];
  const missing = (argument: string, message: string): void => {
    errors.push({ pointer: pointerTo('modules', ID, argument), code: 'model_not_installed', message });
  };
  const chosen = usable.find((one) => MAIN_MODELS.includes(one) && (one.name === model || one.digest === model));
  if (chosen === undefined) missing('model', `The model ${model} is not installed${asChoice(model, usable)}.`);
  const captioner = args.enable_captioning ? chooseCaptioner(chosen, usable) : [];
  if (chosen?.family === IMAGE_TEXT) {
    if ('message' in captioner) throw refusal('MODEL_NOT_INSTALLED', 'enable_captioning', captioner.message);
    return [chosen.name, textEncoderFor(chosen, args, usable), ...captioner];
  }
  const askable = usable.filter(({ family }) => family === IMAGE_TEXT).map(({ name }) => name);
  const instead =
    askable.length > 0
      ? `a model of images and text: name ${askable.join(' or ')} in model. ${model} is none`
      : `the model ${ZERO_SHOT_MODEL}, or another of images and text, which is not installed`;
  if (args.words !== undefined) missing('words', `words need ${instead}.`);
  if (!args.include_preset_labels) {
    missing(
      'include_preset_labels',
      `Without its preset labels ${model} has none; words in their place need ${instead}.`,
    );
  }
  if ('message' in captioner) missing('enable_captioning', captioner.message);
  const describing = chosen?.family === CAPTIONING ? withDecoder(chosen, usable) : [];
  if ('message' in describing) missing('model', describing.message);
  if (errors.length > 0) {
    const needsWords = args.words !== undefined || !args.include_preset_labels;
    const wanted = [
      ...(chosen === undefined ? [model] : []),
      ...(needsWords && askable.length === 0 ? [ZERO_SHOT_MODEL] : []),
    ];
    const names = [...new Set(usable.map(({ name }) => name))].join(', ') || 'none';
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `${errors.map(({ message }) => message).join(' ')} Installed models of ${ID}: ${names}.${howToGet(wanted)}`,
      { errors },
    );
  }
  if (chosen === undefined || 'message' in captioner || 'message' in describing) return [];
  if (chosen.family === CAPTIONING) return describing;
  // A classifier already covers the whole picture.
  const besides =
    MODEL_FAMILIES.analysisFor(ID, chosen.family) !== 'scenes' && usable.some(({ name }) => name === SCENE_MODEL);
  return [chosen.name, ...(besides ? [SCENE_MODEL] : []), ...captioner];
}

function refusal(code: 'MODEL_NOT_INSTALLED' | 'VALIDATION', argument: string, message: string): AditError {
  return new AditError(code, message, {
    errors: [{ pointer: pointerTo('modules', ID, argument), code: code.toLowerCase(), message }],
  });
}

/**
 * Returns the text encoder of a picture encoder, where there are words. Throws MODEL_NOT_INSTALLED, and VALIDATION for
 * indistinguishable words.
 */
function textEncoderFor(chosen: InstalledModel, args: ObjectSceneArguments, usable: readonly InstalledModel[]): string {
  const name = textEncoderOf(chosen.name);
  if (!usable.some((one) => one.name === name && one.family === 'text-embedding')) {
    throw refusal(
      'MODEL_NOT_INSTALLED',
      'model',
      `${chosen.name} needs its encoder of text, which is not installed: add it as ${name}, with its tokenizer.json.`,
    );
  }
  const presets = args.include_preset_labels ? (chosen.labels ?? 0) : 0;
  const sought = new Set(args.words).size + presets;
  const fewest = chosen.decoding === 'siglip' ? 1 : 2;
  // The number of words in dictionaries is known once they are read.
  if (sought < fewest && args.dictionaries.length === 0) {
    const reason =
      sought === 0
        ? `${chosen.name} has no labels of its own to look for; say in words what it is to look for, or name a dictionary of such words.`
        : `${chosen.name} says which of several words fits best: with one alone that is always the one. Add what else there may be.`;
    throw refusal('VALIDATION', 'words', reason);
  }
  return name;
}

/** `scenes` is installed, but never used alone. */
function asChoice(model: string, usable: InstalledModel[]): string {
  const isScenes = usable.some(({ name, digest }) => name === SCENE_MODEL && (name === model || digest === model));
  return isScenes ? ` as one to be named: it is used beside ${DEFAULT_MODEL}, which a request may name` : '';
}
