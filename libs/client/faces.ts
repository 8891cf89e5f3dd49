import { jsonOf } from './request.js';
import type { FaceComparison, FaceDetection, FaceSearch } from './schema.js';
import type { Transport } from './transport.js';

/** A picture, or the address of one: `storage://…` or `https://…`. */
export type Picture = Blob | string;

interface Detection {
  /** Pixels of the picture's shorter side when it reaches the detector, 100 to 2000; default 600. */
  faceDetectionScale?: number;
  signal?: AbortSignal;
}

interface Comparison extends Detection {
  /** Two faces nearer than this are one person, 0 to 2; default 1. */
  maxDistance?: number;
}

type Search = Comparison & {
  /** The number of people nearest to each face, 1 to 10; default 3. */
  topK?: number;
} & ({ model?: string; collection?: undefined } | { model?: undefined; collection: string });

/** Faces of single pictures, answered at once. Nothing is kept of them, so a request is repeated like one that reads. */
export class Faces {
  constructor(private readonly transport: Transport) {}

  /** Finds faces in a picture, the largest first. */
  detect(picture: Picture, { faceDetectionScale, signal }: Detection = {}): Promise<FaceDetection> {
    return this.send('detect', { ...named(picture), face_detection_scale: faceDetectionScale }, signal);
  }

  /** The largest face of `a` with every face of `b`, the nearest first. */
  compare(
    a: Picture,
    b: Picture,
    { faceDetectionScale, maxDistance, signal }: Comparison = {},
  ): Promise<FaceComparison> {
    return this.send('compare', { a, b, face_detection_scale: faceDetectionScale, max_distance: maxDistance }, signal);
  }

  /** Who the faces are, by a gallery (`model`) or an index `collection`. */
  search(
    picture: Picture,
    { faceDetectionScale, maxDistance, topK, model, collection, signal }: Search = {},
  ): Promise<FaceSearch> {
    const options = { face_detection_scale: faceDetectionScale, max_distance: maxDistance, top_k: topK };
    return this.send('search', { ...named(picture), ...options, model, collection }, signal);
  }

  private async send<T>(
    what: string,
    fields: Record<string, Blob | string | number | undefined>,
    signal?: AbortSignal,
  ): Promise<T> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined) form.append(name, value instanceof Blob ? value : String(value));
    }
    const path = `/v1/faces/${what}/`;
    return jsonOf<T>(await this.transport.send({ method: 'POST', path, body: () => form, signal, repeatable: true }));
  }
}

function named(picture: Picture): { file: Blob } | { file_uri: string } {
  return typeof picture === 'string' ? { file_uri: picture } : { file: picture };
}
