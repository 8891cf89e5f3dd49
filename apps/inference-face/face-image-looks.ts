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
      eyes: view?.eyes ?? null,
      mouth: view?.mouth ?? null,
      female,
      embedding: view?.embedding ?? null,
    };
  });
  return { network, faces: faces.sort((a, b) => b.size - a.size) };
}

/**
 * From when on eyes and mouths are open, and below what they are closed; nobody can tell what lies between. Of packaged photos and a
 * film: closed eyes 0.13 to 0.20, open ones 0.22 to 0.34; closed lips up to 0.05, open ones from 0.14.
 */
const OPEN_EYES = { closed: 0.18, open: 0.23 };
const OPEN_MOUTH = { closed: 0.06, open: 0.12 };
/** Degrees of yaw from which on eyes and lips are seen too much from the side. */
const FROM_THE_SIDE = 30;

/**
 * Of the largest face: the pose, and whether eyes and mouth are open, is what the mesh of the analysis of faces tells; nothing that
 * is installed tells the rest.
 */
function attributesOf({ faces: [face] }: FaceLook): FaceAttributes | null {
  if (face === undefined) return null;
  const { roll, yaw, pitch } = face;
  const isFrontal = yaw !== null && Math.abs(yaw) < FROM_THE_SIDE;
  return {
    ...{ emotion: null, smile: null, eyeglasses: null, sunglasses: null, beard: null, mustache: null },
    eyesopen: isFrontal ? isOpen(face.eyes, OPEN_EYES) : null,
    mouthopen: isFrontal ? isOpen(face.mouth, OPEN_MOUTH) : null,
    ...{ roll, yaw, pitch },
  };
}

function isOpen(height: number | null | undefined, { closed, open }: typeof OPEN_EYES): boolean | null {
  if (height === null || height === undefined || (height >= closed && height < open)) return null;
  return height >= open;
}
