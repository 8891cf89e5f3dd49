import { StandardArguments } from '@adit/contracts';
import { defineModule } from '@adit/module-kit';
import { Matcher } from '../galleries/match.js';
import { adoptPeople, PeopleFold } from '../people/people-fold.js';
import { FACES } from '../face_recognition/faces.js';
import { Neutrality } from './neutrality.js';

/** Reports whether the faces with the most screen time in a source look female, male, or balanced. */
export default defineModule({
  id: 'gender_neutrality_estimation',
  version: 3,
  adopt: adoptPeople,
  args: StandardArguments,
  media: ['image', 'video'],
  // Only the identity matters, not the name.
  needs: () => [FACES],
  open: () => Promise.resolve(new PeopleFold(new Neutrality(), new Matcher([]))),
});
