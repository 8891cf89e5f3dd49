import type { Json } from '@adit/contracts';
import { openDictionaries } from '@adit/dictionaries';
import { defineModule } from '@adit/module-kit';
import { calibratedDistance } from '../galleries/calibrated.js';
import { galleriesOf, LANDMARK_MODEL } from '../galleries/kinds.js';
import { matcherOf } from '../galleries/matcher-cache.js';
import { LandmarkArguments } from './args.js';
import { chooseModel } from './choose-model.js';
import { LandmarkFold } from './fold.js';
import { Landmarks, likenessOf } from './landmarks.js';
import { placesNeed } from './places-need.js';
import { findableLandmark } from './findable.js';

/** Reports which places are visible, from when to when, and where they are. */
export default defineModule({
  id: 'landmark_recognition',
  version: 1,
  args: LandmarkArguments,
  media: ['image', 'video'],
  takes: galleriesOf(LANDMARK_MODEL),
  models: chooseModel,
  fromModels: (models): Record<string, Json> => {
    const distance = calibratedDistance(models);
    return distance === null ? {} : { min_similarity: likenessOf(distance) };
  },
  // Similarity, dictionaries and the model, if of one network, apply to the observations: a change of them costs no
  // second analysis.
  needs: (_, models, installed) => [placesNeed(models, installed)],
  open: async (args, context) => {
    const [matcher, dictionaries] = await Promise.all([matcherOf(context), openDictionaries(args, context)]);
    return new LandmarkFold(await Landmarks.open(matcher, dictionaries), args.min_similarity);
  },
  findable: findableLandmark,
});
