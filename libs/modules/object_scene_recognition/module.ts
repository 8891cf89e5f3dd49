import { openDictionaries } from '@adit/dictionaries';
import { MODEL_FAMILIES } from '@adit/inference/families';
import { textEncoderOf } from '@adit/inference/families/image-text/similarity';
import { defineModule, type AnalysisNeed, type InstalledModel } from '@adit/module-kit';
import { DEFAULT_MODEL, ObjectSceneArguments, SCENE_MODEL } from './args.js';
import { FAMILY as CAPTIONING } from './choose-captioner.js';
import { chooseModel, MAIN_MODELS } from './choose-model.js';
import { confidenceOf } from './confidence.js';
import { ObjectFold } from './fold.js';
import { namingIn, namingOfWords } from './labels.js';
import { SLOTS } from './slots.js';

/** Reports what is visible, from when to when. */
export default defineModule({
  id: 'object_scene_recognition',
  resultName: 'object_recognition',
  aliases: ['object_recognition'],
  version: 3,
  args: ObjectSceneArguments,
  media: ['image', 'video'],
  takes: MAIN_MODELS,
  models: chooseModel,
  // Confidence, language and dictionaries of labels apply to the observations: a change of them costs no second
  // analysis.
  needs: (args, models, installed) => {
    const detector = mainNeedOf(args, models, installed);
    const captioner = installed.find(({ name, family }) => family === CAPTIONING && models.includes(name));
    const scenes = models.includes(SCENE_MODEL) ? [{ analysis: 'scenes', args: {} }] : [];
    const captions =
      captioner === undefined
        ? []
        : [{ analysis: 'captions', args: { model: captioner.name, ...frameSideOf(captioner) } }];
    return [...(detector === null ? [] : [detector]), ...scenes, ...captions];
  },
  // An image-text model also searches for the words of dictionaries; other words are another analysis.
  withWords: (need, words) => {
    const { words: named } = need.args;
    if (need.analysis !== 'scenes' || !Array.isArray(named)) return need;
    const sought = [...new Set([...named, ...words.map(({ source }) => source)])];
    return { ...need, args: { ...need.args, words: sought } };
  },
  slots: SLOTS,
  open: async (args, context) => {
    const dictionaries = await openDictionaries(args, context);
    const names = context.models.map(({ name }) => name);
    const { model } = namedIn(names);
    // The score of a third-party network is taken as it is.
    const confidence = model === undefined ? confidenceOf : (score: number): number => score;
    const inWords = model !== undefined && names.includes(textEncoderOf(model));
    const naming = inWords ? namingOfWords(dictionaries) : namingIn(args.language, dictionaries);
    return new ObjectFold(args.min_confidence / 100, confidence, naming, dictionaries);
  },
  findable: ({ label }) => ({ texts: [{ field: 'what', text: label, language: 'en' }] }),
});

/** Returns the analysis of the request's main model; null for a captioner, which has an analysis of its own. */
function mainNeedOf(
  { words = [], include_preset_labels: presets }: ObjectSceneArguments,
  models: readonly string[],
  installed: readonly InstalledModel[],
): AnalysisNeed | null {
  const named = namedIn(models);
  const network = installed.find(({ name }) => name === named.model);
  if (network?.family === CAPTIONING) return null;
  const frames = { ...named, ...(network === undefined ? {} : frameSideOf(network)) };
  const args = network?.family === 'image-text' ? { ...frames, words: [...new Set(words)], presets } : frames;
  return { analysis: MODEL_FAMILIES.analysisFor('object_scene_recognition', network?.family) ?? 'objects', args };
}

/** A network that resizes as its exporter does states its frame size. */
function frameSideOf({ frameSide }: InstalledModel): { side?: number } {
  return frameSide == null ? {} : { side: frameSide };
}

/** Empty for the built-in detector, so that its cached observations are found whatever name the request used. */
function namedIn([name = DEFAULT_MODEL]: readonly string[]): { model?: string } {
  return name === DEFAULT_MODEL ? {} : { model: name };
}
