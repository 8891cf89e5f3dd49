import { openDictionaries } from '@adit/dictionaries';
import { MODEL_FAMILIES } from '@adit/inference/families';
import { defineModule, type InstalledModel } from '@adit/module-kit';
import { DEFAULT_MODEL, ObjectSceneArguments, SCENE_MODEL } from './args.js';
import { chooseModel, LOOKERS } from './choose-model.js';
import { confidenceOf } from './confidence.js';
import { ObjectFold } from './fold.js';
import { namingIn } from './labels.js';
import { SLOTS } from './slots.js';

/** What is to be seen, from when to when. */
export default defineModule({
  id: 'object_scene_recognition',
  resultName: 'object_recognition',
  aliases: ['object_recognition'],
  version: 3,
  args: ObjectSceneArguments,
  media: ['image', 'video'],
  takes: LOOKERS,
  models: chooseModel,
  // Confidence, language and dictionaries are asked of the observations: a change of them costs no second look.
  needs: ({ words = [], include_preset_labels: presets }, models, installed) => {
    const frames = frameArgs(models, installed);
    const named = installed.find(({ name }) => name === frames.model);
    const args = named?.family === 'image-text' ? { ...frames, words: [...new Set(words)], presets } : frames;
    const analysis = MODEL_FAMILIES.analysisFor('object_scene_recognition', named?.family) ?? 'objects';
    return [{ analysis, args }, ...(models.includes(SCENE_MODEL) ? [{ analysis: 'scenes', args: {} }] : [])];
  },
  slots: SLOTS,
  open: async (args, context) => {
    const dictionaries = await openDictionaries(args, context);
    const { model } = namedIn(context.models.map(({ name }) => name));
    // What a score of somebody else's network means, only they know.
    const confidence = model === undefined ? confidenceOf : (score: number): number => score;
    return new ObjectFold(args.min_confidence / 100, confidence, namingIn(args.language, dictionaries), dictionaries);
  },
});

/** How a picture is looked at: a network that resizes as its exporter does says how large its frames are. */
function frameArgs(models: readonly string[], installed: readonly InstalledModel[]): { model?: string; side?: number } {
  const named = namedIn(models);
  const side = installed.find(({ name }) => name === named.model)?.frameSide;
  return side == null ? named : { ...named, side };
}

/** Nothing for the detector that comes with Adit, so that what it saw is found whatever the request called it. */
function namedIn([name = DEFAULT_MODEL]: readonly string[]): { model?: string } {
  return name === DEFAULT_MODEL ? {} : { model: name };
}
