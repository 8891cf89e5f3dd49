import { textDecoderOf } from '@adit/inference/families/text-decoder/naming';
import type { InstalledModel } from '@adit/module-kit';
import { CAPTION_MODEL } from './args.js';

/** Family of captioning models. */
export const FAMILY = 'captioning';

/** Names of models, or the reason why there are none. */
type Choice = string[] | { message: string };

/**
 * Chooses the captioner beside `chosen`, with its decoder: that one if it is a captioner, else the one named
 * `captioning`, else the only one.
 */
export function chooseCaptioner(chosen: InstalledModel | undefined, usable: readonly InstalledModel[]): Choice {
  if (chosen?.family === FAMILY) return withDecoder(chosen, usable);
  const captioners = usable.filter(({ family }) => family === FAMILY);
  const [only, ...others] = captioners;
  const meant = captioners.find(({ name }) => name === CAPTION_MODEL) ?? (others.length === 0 ? only : undefined);
  if (meant !== undefined) return withDecoder(meant, usable);
  const message =
    only === undefined
      ? `enable_captioning needs a model of the family ${FAMILY}, such as ${CAPTION_MODEL}, which is not installed.`
      : `enable_captioning takes the model ${CAPTION_MODEL}, which is not installed, or the only one of the family ${FAMILY}; there are ${captioners.map(({ name }) => name).join(', ')}. Name one of them in model, which then describes alone.`;
  return { message };
}

export function withDecoder({ name }: InstalledModel, usable: readonly InstalledModel[]): Choice {
  const decoder = textDecoderOf(name);
  if (usable.some((one) => one.name === decoder && one.family === 'text-decoder')) return [name, decoder];
  return {
    message: `${name} needs its decoder of text, which is not installed: add it as ${decoder}, with its tokenizer.json.`,
  };
}
