import type { FaceAttributes } from '@adit/contracts';
import type { FaceInference, InferredFace } from './inference.js';

/**
 * Openness from which eyes and mouths are open, and below which they are closed; undecided in between. Measured on
 * packaged photos and a film: closed eyes 0.13 to 0.20, open ones 0.22 to 0.34; closed lips up to 0.05, open ones from
 * 0.14.
 */
const OPEN_EYES = { closed: 0.18, open: 0.23 };
const OPEN_MOUTH = { closed: 0.06, open: 0.12 };
/**
 * Probability from which an expression is reported; others than neutral and happy reach 0.98 for stern faces and
 * profiles.
 */
const SURE = { neutral: 0.95, happy: 0.95, others: 0.99 };
/** Degrees of yaw from which eyes, lips and expression are not visible well enough. */
const FROM_THE_SIDE = 30;
/**
 * Degrees of pitch and roll from which the expression is unreliable: looking down reads as sad, and a lying head as
 * anything.
 */
const [UP_OR_DOWN, LYING] = [30, 60];

/**
 * Returns the attributes of the largest face: pose and openness from the face mesh, expression and smile from the
 * expression network; no installed network gives the rest.
 */
export function faceAttributesOf({ faces: [face] }: Pick<FaceInference, 'faces'>): FaceAttributes | null {
  if (face === undefined) return null;
  const { roll, yaw, pitch } = face;
  const isFrontal = yaw !== null && Math.abs(yaw) < FROM_THE_SIDE;
  return {
    ...(isFrontal ? expressionOf(face) : { emotion: null, smile: null }),
    ...{ eyeglasses: null, sunglasses: null, beard: null, mustache: null },
    eyesopen: isFrontal ? isOpen(face.eyes, OPEN_EYES) : null,
    mouthopen: isFrontal ? isOpen(face.mouth, OPEN_MOUTH) : null,
    ...{ roll, yaw, pitch },
  };
}

/** Smiling is the network's label happy. */
function expressionOf({ expression, pitch, roll }: InferredFace): Pick<FaceAttributes, 'emotion' | 'smile'> {
  const isUpright = pitch !== null && roll !== null && Math.abs(pitch) < UP_OR_DOWN && Math.abs(roll) < LYING;
  const sure = Object.entries((isUpright && expression) || {}).find(
    ([word, probability]) => probability >= (word === 'neutral' || word === 'happy' ? SURE[word] : SURE.others),
  );
  return sure === undefined ? { emotion: null, smile: null } : { emotion: sure[0], smile: sure[0] === 'happy' };
}

function isOpen(height: number | null | undefined, { closed, open }: typeof OPEN_EYES): boolean | null {
  if (height === null || height === undefined || (height >= closed && height < open)) return null;
  return height >= open;
}
