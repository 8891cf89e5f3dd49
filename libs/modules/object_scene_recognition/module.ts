import { openDictionaries } from '@adit/dictionaries';
import { defineModule } from '@adit/module-kit';
import { ObjectSceneArguments, SCENE_MODEL } from './args.js';
import { chooseModel, DETECTORS } from './choose-model.js';
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
  takes: DETECTORS,
  models: chooseModel,
  // Confidence, language and dictionaries are asked of the observations: a change of them costs no second look.
  needs: (_, models) => [
    { analysis: 'objects', args: {} },
    ...(models.includes(SCENE_MODEL) ? [{ analysis: 'scenes', args: {} }] : []),
  ],
  slots: SLOTS,
  open: async (args, context) => {
    const dictionaries = await openDictionaries(args, context);
    return new ObjectFold(args.min_confidence / 100, namingIn(args.language, dictionaries), dictionaries);
  },
});
