import type { Json } from '@adit/contracts';
import { openDictionaries } from '@adit/dictionaries';
import { defineModule } from '@adit/module-kit';
import { FaceRecognitionArguments } from './args.js';
import { chooseGalleries } from './choose-galleries.js';
import { adoptFaces, FaceFold } from './fold.js';
import { FACE_NETWORK } from './segments.js';
import { calibratedDistance } from '../galleries/calibrated.js';
import { FACE_GALLERY, galleriesOf } from '../galleries/kinds.js';
import { facesNeed } from './faces.js';
import { matcherOf } from '../galleries/matcher-cache.js';

/** Reports who is visible, from when to when. */
export default defineModule({
  id: 'face_recognition',
  version: 3,
  adopt: adoptFaces,
  args: FaceRecognitionArguments,
  media: ['image', 'video'],
  takes: galleriesOf(FACE_GALLERY),
  models: (args, installed) => chooseGalleries(args, installed),
  fromModels: (models): Record<string, Json> => {
    const distance = calibratedDistance(models);
    return distance === null ? {} : { max_distance: distance };
  },
  // Everything else applies to the observations, so another gallery or distance costs no second analysis.
  needs: (args, models, installed) => [facesNeed(args.face_detection_scale, models, installed)],
  collection: (args) =>
    args.index_unknowns ? { name: args.index_collection, network: FACE_NETWORK, path: ['index_collection'] } : null,
  open: async (args, context) => new FaceFold(args, await matcherOf(context), await openDictionaries(args, context)),
  findable: ({ label }) => ({ texts: [{ field: 'who', text: label }] }),
});
