import { defineModule } from '@adit/mining';
import { FaceRecognitionArguments } from './args.js';
import { chooseGalleries } from './choose-galleries.js';
import { FaceFold } from './fold.js';
import { readGallery } from './gallery.js';
import { Matcher } from './match.js';

/** Who is to be seen, from when to when. */
export default defineModule({
  id: 'face_recognition',
  resultName: 'face_recognition',
  aliases: [],
  version: 1,
  args: FaceRecognitionArguments,
  media: ['image', 'video'],
  models: chooseGalleries,
  // Everything else is asked of the observations, so another gallery or distance costs no second look.
  needs: (args) => [{ analysis: 'faces', args: { detectionScale: args.face_detection_scale } }],
  async open(args, { models, readModelFile }) {
    const galleries = await Promise.all(models.map((pin) => readGallery(pin.name, (file) => readModelFile(pin, file))));
    return new FaceFold(args, new Matcher(galleries));
  },
});
