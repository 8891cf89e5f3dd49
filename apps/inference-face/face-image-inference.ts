import { FaceObservations } from '@adit/analyses';
import { faceAttributesOf, FaceInference } from '@adit/datasets';
import type { ImageInference } from '@adit/inference-service';

/** Inference over faces in pictures of datasets. */
export const FACE_INFERENCE: ImageInference<FaceInference> = {
  type: 'face',
  analysis: 'faces',
  args: { expressions: true },
  extract,
  parse: (inference) => FaceInference.parse(inference),
  evaluationOf: (inference) => ({ face_attributes: faceAttributesOf(inference) }),
};

function extract(observations: unknown, network: FaceInference['network']): FaceInference {
  const { tracks } = FaceObservations.parse(observations);
  const faces = tracks.map(({ sightings, views, female, expression }) => {
    const [view] = views;
    return {
      size: Math.max(...sightings.map(({ size }) => size)),
      sharpness: view?.sharpness ?? null,
      yaw: view?.yaw ?? null,
      pitch: view?.pitch ?? null,
      roll: view?.roll ?? null,
      eyes: view?.eyes ?? null,
      mouth: view?.mouth ?? null,
      expression,
      female,
      embedding: view?.embedding ?? null,
    };
  });
  return { network, faces: faces.sort((a, b) => b.size - a.size) };
}
