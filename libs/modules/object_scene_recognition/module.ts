import { defineModule, openDictionaries } from '@adit/mining';
import { ObjectSceneArguments } from './args.js';
import { chooseModel } from './choose-model.js';
import { ObjectFold } from './fold.js';
import { namingIn } from './labels.js';

/** What is to be seen, from when to when. */
export default defineModule({
  id: 'object_scene_recognition',
  resultName: 'object_recognition',
  aliases: ['object_recognition'],
  version: 1,
  args: ObjectSceneArguments,
  media: ['image', 'video'],
  models: chooseModel,
  // Confidence, language and dictionaries are asked of the observations: a change of them costs no second look.
  needs: () => [{ analysis: 'objects', args: {} }],
  open: async (args, context) => {
    const dictionaries = await openDictionaries(args, context);
    return new ObjectFold(args.min_confidence / 100, namingIn(args.language, dictionaries));
  },
});
