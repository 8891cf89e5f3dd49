import { elementAt } from '@adit/contracts';
import {
  applyAffine,
  inputOf,
  outputNamed,
  runOnPicture,
  turnedSquareMap,
  type NetworkSession,
  type Point,
  type RgbImage,
} from '@adit/inference';

export interface FaceMesh {
  /** Probability that there is a face at all, 0..1. */
  presence: number;
  /** 468 points in pixels of the picture, in MediaPipe's canonical order. */
  points: Point[];
  /** Depths in the same unit, negative towards the camera. */
  depth: number[];
}

/**
 * Runs MediaPipe Face Mesh (Kartynnik et al., "Real-time Facial Surface Geometry from Monocular Video on Mobile GPUs",
 * 2019) on a square of `size` pixels around `centre`, rotated by `angle` radians so that the eyes are level.
 */
export async function faceMesh(
  network: NetworkSession,
  picture: RgbImage,
  centre: Point,
  size: number,
  angle: number,
): Promise<FaceMesh> {
  const { width } = inputOf(network);
  const map = turnedSquareMap(centre, size, angle, width);
  const outputs = await runOnPicture(network, picture, map);
  const mesh = outputNamed(outputs, 'output_mesh').data;
  const points: Point[] = [];
  const depth: number[] = [];
  for (let i = 0; i < mesh.length; i += 3) {
    points.push(applyAffine(map, [elementAt(mesh, i), elementAt(mesh, i + 1)]));
    depth.push((elementAt(mesh, i + 2) * size) / width);
  }
  return { presence: elementAt(outputNamed(outputs, 'output_faceflag').data, 0), points, depth };
}
