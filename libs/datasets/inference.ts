import type { DatasetType } from '@adit/contracts';
import { z } from 'zod';

/** A face as the face analysis describes it. Sizes are pixels of the picture, angles degrees. */
export const InferredFace = z.object({
  /** Shorter side. */
  size: z.number(),
  /** 0..100; null for a face too small to examine. */
  sharpness: z.number().nullable(),
  yaw: z.number().nullable(),
  pitch: z.number().nullable(),
  roll: z.number().nullable(),
  /** Height of the openings of eyes and lips as a fraction of their width; missing in earlier builds. */
  eyes: z.number().nullish(),
  mouth: z.number().nullish(),
  /** Probabilities of expressions by name; missing in earlier builds, and for a face too small to examine. */
  expression: z.record(z.string(), z.number()).nullish(),
  /** Probability that it reads as female, 0..1. */
  female: z.number().nullable(),
  /** L2-normalised, little-endian float32 in base64; null for a face too small to embed. */
  embedding: z.string().nullable(),
});
export type InferredFace = z.infer<typeof InferredFace>;

/** Result for a picture of a dataset: its faces, the largest first. */
export const FaceInference = z.object({
  /** Network that embedded them; results of others are not comparable. */
  network: z.object({ name: z.string(), digest: z.string() }),
  faces: z.array(InferredFace),
});
export type FaceInference = z.infer<typeof FaceInference>;

/** Result for a picture of a dataset as a whole. */
export const PlaceInference = z.object({
  network: z.object({ name: z.string(), digest: z.string() }),
  /** Direction as the analysis `image-embedding` encodes it. */
  embedding: z.string(),
});
export type PlaceInference = z.infer<typeof PlaceInference>;

/** Network whose embeddings a dataset is trained with. */
export const INFERENCE_NETWORKS: Readonly<Record<DatasetType, string>> = {
  face: 'face-embedding',
  landmark: 'image-embedding',
};

/**
 * SQL: a subquery for the `look` of image `i`, and the digest of its `analysis`. The dataset's type is the expression
 * `type`; the same bytes may be in both kinds. It returns only the faces that a class needs: the one meant, and a
 * rival. A crowd has hundreds.
 */
export function inferenceQuery(type: string): string {
  const network = `CASE ${type} ${Object.entries(INFERENCE_NETWORKS)
    .map(([of, name]) => `WHEN '${of}' THEN '${name}'`)
    .join(' ')} END`;
  const faces = `jsonb_path_query_array(l.look, '$.faces[0 to 1]')`;
  return `SELECT l.analysis_digest AS analysis, jsonb_set(l.look, '{faces}', ${faces}, false) AS look FROM dataset_looks l
           WHERE l.workspace_id = i.workspace_id AND l.digest = i.digest AND l.look->'network'->>'name' = ${network}
           ORDER BY l.time_created DESC LIMIT 1`;
}

/** Decodes an embedding. */
export function vectorOf(embedding: string): Float32Array {
  const bytes = Buffer.from(embedding, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Dot product of two embeddings of length 1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
