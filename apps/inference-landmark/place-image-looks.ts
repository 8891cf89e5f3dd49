import { ImageEmbeddingObservations } from '@adit/analyses/image-embedding/observations';
import { AditError } from '@adit/contracts';
import { PlaceLook } from '@adit/datasets';
import type { ImageLook } from '@adit/inference-service';

/** Inference over pictures of landmark datasets, each as a whole. */
export const PLACE_LOOKS: ImageLook<PlaceLook> = {
  type: 'landmark',
  analysis: 'image-embedding',
  extract(observations, network) {
    const [photo] = ImageEmbeddingObservations.parse(observations).sampled;
    if (photo === undefined) throw new AditError('MEDIA_INVALID', 'It is no picture.');
    return { network, embedding: photo.embedding };
  },
  parse: (look) => PlaceLook.parse(look),
  evaluationOf: () => ({}),
};
