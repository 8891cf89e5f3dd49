import { FaceObservations } from '@adit/analyses';
import type { FaceAttributes } from '@adit/contracts';
import { FaceLook } from '@adit/datasets';
import type { ImageLook } from '@adit/inference-service';

/** The faces in pictures of datasets. */
export const FACE_LOOKS: ImageLook<FaceLook> = {
  type: 'face',
  analysis: 'faces',
  extract,
  parse: (look) => FaceLook.parse(look),
  evaluationOf: (look) => ({ face_attributes: attributesOf(look) }),
};

function extract(observations: unknown, network: FaceLook['network']): FaceLook {
  const { tracks } = FaceObservations.parse(observations);
  const faces = tracks.map(({ sightings, views, female }) => {
    const [view] = views;
    return {
      size: Math.max(...sightings.map(({ size }) => size)),
      sharpness: view?.sharpness ?? null,
      yaw: view?.yaw ?? null,
      pitch: view?.pitch ?? null,
      roll: view?.roll ?? null,
      female,
      embedding: view?.embedding ?? null,
    };
  });
  return { network, faces: faces.sort((a, b) => b.size - a.size) };
}

/** Of the largest face: the pose is what the analysis of faces tells; nothing that is installed tells the rest. */
function attributesOf({ faces: [face] }: FaceLook): FaceAttributes | null {
  if (face === undefined) return null;
  const { roll, yaw, pitch } = face;
  const untold = { emotion: null, smile: null, eyeglasses: null, sunglasses: null, eyesopen: null, mouthopen: null };
  return { ...untold, beard: null, mustache: null, roll, yaw, pitch };
}
