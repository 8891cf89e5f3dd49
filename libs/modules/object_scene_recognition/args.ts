import { StandardArguments } from '@adit/contracts';
import { z } from 'zod';

/** Used when a request names no model. */
export const DEFAULT_MODEL = 'general-c';
/** Scene classifier; used beside the detector where it is installed. */
export const SCENE_MODEL = 'scenes';
/** Image-text model for search words. */
export const ZERO_SHOT_MODEL = 'zero-shot';
/** Model that describes a scene in a sentence. */
export const CAPTION_MODEL = 'captioning';

export const ObjectSceneArguments = StandardArguments.extend({
  model: z.string().min(1).optional().describe(`Name, id or digest of a model. Left out: ${DEFAULT_MODEL}.`),
  min_confidence: z
    .number()
    .min(0)
    .max(100)
    .default(70)
    .describe('Percent from which an object counts: at 70 about seven of ten are right.'),
  language: z
    .literal([0, 1], { error: 'accepted are 0 (English) and 1 (German)' })
    .default(0)
    .describe('Language of the labels: 0 English, 1 German.'),
  words: z
    .array(z.string().min(1).max(255))
    .max(1000)
    .optional()
    .describe(`What to look for, in words; models of images and text only, such as ${ZERO_SHOT_MODEL}.`),
  include_preset_labels: z
    .boolean()
    .default(true)
    .describe('Look for the labels of the model as well; false with models of images and text only.'),
  enable_captioning: z
    .boolean()
    .default(false)
    .describe('Describe each scene in a sentence, as a result of the type caption; needs a captioning model.'),
});
export type ObjectSceneArguments = z.infer<typeof ObjectSceneArguments>;
