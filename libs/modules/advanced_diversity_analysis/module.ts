import { StandardArguments } from '@adit/contracts';
import { openDictionaries } from '@adit/dictionaries';
import { defineModule } from '@adit/module-kit';
import { chooseGalleries } from '../face_recognition/choose-galleries.js';
import { FACE_GALLERY, galleriesOf } from '../galleries/kinds.js';
import { matcherOf } from '../galleries/matcher-cache.js';
import { DETECTION_SCALE, facesNeed } from '../face_recognition/faces.js';
import { adoptPeople, PeopleFold } from '../people/people-fold.js';
import { Diversity } from './diversity.js';

const ID = 'advanced_diversity_analysis';

/** Reports the number of people and their screen time, by person and by apparent gender and age. */
export default defineModule({
  id: ID,
  version: 3,
  adopt: adoptPeople,
  args: StandardArguments,
  media: ['image', 'video'],
  sharesModelsOf: 'face_recognition',
  takes: galleriesOf(FACE_GALLERY),
  models: (args, installed) => chooseGalleries(args, installed, ID),
  needs: (_, models, installed) => [facesNeed(DETECTION_SCALE, models, installed)],
  open: async (args, context) => {
    const matcher = await matcherOf(context);
    const reporter = new Diversity(matcher.persons, await openDictionaries(args, context));
    return new PeopleFold(reporter, matcher, matcher.maxDistance ?? undefined);
  },
});
