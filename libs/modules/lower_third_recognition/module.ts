import { openDictionaries } from '@adit/dictionaries';
import { defineModule } from '@adit/module-kit';
import { FACES } from '../face_recognition/faces.js';
import { LowerThirdArguments } from './args.js';
import { chooseModel, textNeed, RECOGNISER, TEXT_MODELS } from './choose-model.js';
import { LowerThirdFold, type FaceRule } from './fold.js';
import { nameFinder } from './names/find-name.js';
import { genericNames } from './names/generic-names.js';

/** Reports who is named in captions, from when to when. */
export default defineModule({
  id: 'lower_third_recognition',
  version: 1,
  args: LowerThirdArguments,
  media: ['image', 'video'],
  takes: TEXT_MODELS,
  models: chooseModel,
  // Faces are analysed only when captions without one do not count, or one is to be stored.
  needs: ({ only_faces: onlyFaces, dataset }, models, installed) => {
    const text = textNeed(models, installed);
    return onlyFaces || dataset !== null ? [text, FACES] : [text];
  },
  dataset: ({ dataset: id }) => (id === null ? null : { id, type: 'face', path: ['dataset'] }),
  slots: [
    {
      name: RECOGNISER,
      purpose: `Reads captions in one pass, with every accent of Latin script: adit model pull ${RECOGNISER}.`,
    },
  ],
  dictionaryIds: (args) =>
    (['name_dictionary_list', 'secondary_dictionaries'] as const).flatMap((name) =>
      (args[name] ?? []).map((id, index) => ({ id, path: [name, index] })),
    ),
  open: async (args, context) => {
    const read = (ids: string[] | null) => Promise.all((ids ?? []).map((id) => context.readDictionary(id)));
    const finder = nameFinder({
      own: await read(args.name_dictionary_list),
      generic: args.apply_generic ? await genericNames() : null,
      secondary: await read(args.secondary_dictionaries),
      single: args.detect_single_name,
    });
    const faces = { minSize: args.min_face_size, minSharpness: args.sharpness_threshold };
    const rule: FaceRule = { ...faces, only: args.only_faces, teaches: args.dataset !== null };
    return new LowerThirdFold(finder, rule, await openDictionaries(args, context));
  },
  findable: ({ label }) => ({
    texts: [
      { field: 'written', text: label },
      { field: 'who', text: label },
    ],
  }),
});
