import { StandardArguments } from '@adit/contracts';
import { defineModule } from '@adit/module-kit';
import { Matcher } from '../galleries/match.js';
import { adoptPeople, PeopleFold } from '../people/people-fold.js';
import { FACES } from '../face_recognition/faces.js';
import { Neutrality } from './neutrality.js';

/** Whether the faces a source shows longest read as female, as male, or as neither more than the other. */
export default defineModule({
  id: 'gender_neutrality_estimation',
  version: 3,
  adopt: adoptPeople,
  args: StandardArguments,
  media: ['image', 'video'],
  // Who somebody is does not matter, only that it is the same person.
  needs: () => [FACES],
  open: () => Promise.resolve(new PeopleFold(new Neutrality(), new Matcher([]))),
});
