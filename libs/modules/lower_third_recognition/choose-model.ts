import { AditError } from '@adit/contracts';
import { MODEL_FAMILIES } from '@adit/inference/families';
import { pointerTo } from '@adit/module-kit';
import type { AnalysisNeed, InstalledModel, TakenModels } from '@adit/module-kit';
import type { LowerThirdArguments } from './args.js';

const ID = 'lower_third_recognition';
/** Recogniser that reads all marks by itself, and better than the built-in ones together. */
export const RECOGNISER = 'pp-ocrv6';
/** Family of text detectors; other named models are recognisers. */
const TEXT_DETECTORS = 'text-detection';

/** READER, and any model of such a family. The built-in ones work together and are never named. */
export const TEXT_MODELS: TakenModels = {
  type: 'text',
  includes: ({ kind, name, family, modules }) =>
    kind === 'network' &&
    modules.includes(ID) &&
    (name === RECOGNISER || MODEL_FAMILIES.analysisFor(ID, family) !== null),
};

/** Returns the text detector that belongs to a recogniser. */
export function textDetectorOf(reader: string): string {
  return `${reader}-finder`;
}

/**
 * Returns the requested model, by name or digest, with its text detector where there is one; none for the built-in
 * ones. Throws MODEL_NOT_INSTALLED, a 400 that lists the installed ones.
 */
export function chooseModel({ model }: LowerThirdArguments, installed: InstalledModel[]): string[] {
  if (model === undefined) return [];
  const usable = installed.filter((one) => TEXT_MODELS.includes(one));
  const chosen = usable.find(({ name, digest }) => name === model || digest === model);
  if (chosen !== undefined) {
    const finder = usable.find(({ name, family }) => name === textDetectorOf(chosen.name) && family === TEXT_DETECTORS);
    return [chosen.name, ...(chosen.family === TEXT_DETECTORS || finder === undefined ? [] : [finder.name])];
  }
  const names = [...new Set(usable.map(({ name }) => name))].join(', ') || 'none';
  const message = `The model ${model} is not installed.`;
  throw new AditError('MODEL_NOT_INSTALLED', `${message} Installed models of ${ID}: ${names}.`, {
    errors: [{ pointer: pointerTo('modules', ID, 'model'), code: 'model_not_installed', message }],
  });
}

/** Returns the text analysis for the chosen models, without naming defaults. */
export function textNeed(models: readonly string[], installed: readonly InstalledModel[]): AnalysisNeed {
  const chosen = installed.filter(({ name }) => models.includes(name));
  const finder = chosen.find(({ family }) => family === TEXT_DETECTORS);
  const reader =
    chosen.find(({ family }) => family !== TEXT_DETECTORS) ?? installed.find(({ name }) => name === RECOGNISER);
  return {
    analysis: 'text',
    args: {
      ...(reader === undefined ? {} : { reader: reader.name }),
      ...(finder === undefined ? {} : { finder: finder.name }),
      ...(finder?.frameSide == null ? {} : { side: finder.frameSide }),
    },
  };
}
