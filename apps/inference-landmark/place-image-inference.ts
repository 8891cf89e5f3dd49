import { ImageEmbeddingObservations } from '@adit/analyses/image-embedding/observations';
import { AditError } from '@adit/contracts';
import { PlaceInference } from '@adit/datasets';
import type { ImageInference } from '@adit/inference-service';

/** Inference over pictures of landmark datasets, each as a whole. */
export const PLACE_INFERENCE: ImageInference<PlaceInference> = {
  type: 'landmark',
  analysis: 'image-embedding',
  extract(observations, network) {
    const [photo] = ImageEmbeddingObservations.parse(observations).sampled;
    if (photo === undefined) throw new AditError('MEDIA_INVALID', 'It is no picture.');
    return { network, embedding: photo.embedding };
  },
  parse: (inference) => PlaceInference.parse(inference),
  evaluationOf: () => ({}),
};
