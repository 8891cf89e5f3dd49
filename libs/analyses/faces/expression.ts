import { zip } from '@adit/contracts';
import { firstOutput, inputOf, runOnPicture, turnedSquareMap, type NetworkSession, type Point } from '@adit/inference';
import type { Cutout } from './close-view.js';
import { EXPRESSIONS, Expression } from './observations.js';

/**
 * Classifies the expression with face-api's network, on the square around the face's box, rotated so that the eyes are
 * level. The network was trained on upright faces, and rates tilted ones as sad.
 */
export async function readExpression(network: NetworkSession, { picture, box, points }: Cutout): Promise<Expression> {
  const [right, left] = points;
  const angle = Math.atan2(left[1] - right[1], left[0] - right[0]);
  const centre: Point = [box.x + box.w / 2, box.y + box.h / 2];
  const map = turnedSquareMap(centre, Math.max(box.w, box.h), angle, inputOf(network).width);
  const { data } = firstOutput(await runOnPicture(network, picture, map));
  const named = Array.from(zip(EXPRESSIONS, data), ([word, probability]) => [word, Number(probability.toFixed(4))]);
  return Expression.parse(Object.fromEntries(named));
}
