import type { ModelSlot } from '@adit/module-kit';
import { CAPTION_MODEL, SCENE_MODEL, ZERO_SHOT_MODEL } from './args.js';

/** Model slots of this module without a package; only SCENE_MODEL is used automatically once it is installed. */
export const SLOTS: ModelSlot[] = [
  {
    name: SCENE_MODEL,
    purpose: 'Says what kind of scene a picture shows (street, kitchen, beach): any classifier of whole pictures.',
  },
  {
    name: ZERO_SHOT_MODEL,
    purpose:
      'Looks for what words say (arguments words, include_preset_labels): a pair of encoders, of pictures and text.',
  },
  { name: CAPTION_MODEL, purpose: 'Describes each scene in a sentence (argument enable_captioning).' },
];
