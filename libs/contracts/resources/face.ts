import { z } from 'zod';
import { CollectionName, IndexedIdentity } from './face-index.js';
import { PictureAddress } from './online-inference.js';
import { ModelPin } from '../model-manifest.js';
import { Box } from '../observations.js';

/** Answers about faces that are given at once, without a job. */

const detectionScale = z
  .int()
  .min(100)
  .max(2000)
  .default(600)
  .describe("Pixels of the picture's shorter side when it reaches the detector; more finds smaller faces.");
/**
 * Largest distance ‖a − b‖, 0..2, of two embeddings of `face-embedding` that are one person's: below every pair of two people among
 * the photos of `npm run eval` (libs/analyses/faces/README.md). The default of jobs, comparisons and thresholds.
 */
export const SAME_FACE_DISTANCE = 1.0;
const maxDistance = z
  .number()
  .min(0)
  .max(2)
  .default(SAME_FACE_DISTANCE)
  .describe('Two faces nearer than this are one person; 0..2.');
/** Options of face detection beside the picture. */
export const FaceDetectionOptions = z.strictObject({ face_detection_scale: detectionScale });
export type FaceDetectionOptions = z.infer<typeof FaceDetectionOptions>;

/** POST /v1/faces/detect/. */
export const FaceDetectionRequest = FaceDetectionOptions.extend({ file_uri: PictureAddress });
export type FaceDetectionRequest = z.infer<typeof FaceDetectionRequest>;

export const FaceComparisonOptions = FaceDetectionOptions.extend({ max_distance: maxDistance });
export type FaceComparisonOptions = z.infer<typeof FaceComparisonOptions>;

/** POST /v1/faces/compare/. */
export const FaceComparisonRequest = FaceComparisonOptions.extend({
  a: PictureAddress,
  b: PictureAddress,
});
export type FaceComparisonRequest = z.infer<typeof FaceComparisonRequest>;

export const FaceSearchOptions = FaceComparisonOptions.extend({
  max_distance: maxDistance
    .unwrap()
    .optional()
    .describe('Two faces nearer than this are one person, 0..2; as a job has it when left out.'),
  model: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Name or id of a face gallery, as a job names it; the one that face_recognition takes when left out.'),
  collection: CollectionName.optional().describe('Name of an index collection, in place of a gallery.'),
  top_k: z.int().min(1).max(10).default(3).describe('So many people nearest to each face.'),
});
export type FaceSearchOptions = z.infer<typeof FaceSearchOptions>;

/** POST /v1/faces/search/. */
export const FaceSearchRequest = FaceSearchOptions.extend({ file_uri: PictureAddress });
export type FaceSearchRequest = z.infer<typeof FaceSearchRequest>;

/** One face of a picture. */
export const PictureFace = z.strictObject({
  face_bbox: Box.describe('Fractions of the picture as displayed, from its top left corner'),
  confidence: z.number().describe('How sure it is that this is a face, 0..1'),
  size: z.number().describe('Shorter side of the box in pixels of the picture'),
  quality: z
    .number()
    .nullable()
    .describe('Size, sharpness and pose together, 0..1; null for a face too small or blurred to know'),
  sharpness: z.number().nullable().describe('0..100; null for a face too small or blurred to know'),
  yaw: z.number().nullable().describe('Degrees; null for a face too small or blurred to know'),
  pitch: z.number().nullable().describe('Nod in degrees; null for a face too small or blurred to know'),
  roll: z.number().nullable().describe('Tilt in degrees; null for a face too small or blurred to know'),
  age: z.number().nullable().describe('Years; null for a face too small or blurred to know'),
  gender: z
    .enum(['female', 'male'])
    .nullable()
    .describe('What the face reads as; null for a face too small or blurred to know'),
});
export type PictureFace = z.infer<typeof PictureFace>;

const models = z.array(ModelPin).describe('The models that looked at the picture, in their exact versions');
const picture = {
  width: z.int().positive().describe('In pixels, as displayed'),
  height: z.int().positive().describe('In pixels, as displayed'),
};

export const FaceDetection = z.strictObject({
  ...picture,
  faces: z.array(PictureFace).describe('The largest first; empty when there is none'),
  models,
});
export type FaceDetection = z.infer<typeof FaceDetection>;

const nearness = {
  similarity: z.number().describe('Similarity of the two faces, 0..1'),
  distance: z.number().describe('Euclidean distance of the embeddings of the two faces, 0..2'),
};
export const FaceComparison = z.strictObject({
  same_person: z.boolean().describe('Whether the nearest face of b is at most max_distance from the face of a'),
  ...nearness,
  face: PictureFace.describe('The face of a: the largest one'),
  matches: z
    .array(
      z.strictObject({
        same_person: z.boolean().describe('Whether this face is at most max_distance from the face of a'),
        ...nearness,
        face: PictureFace.describe('The face of b'),
      }),
    )
    .describe('The faces of b, the nearest first'),
  models,
});
export type FaceComparison = z.infer<typeof FaceComparison>;

const FoundPerson = z.strictObject({
  person: z.string().describe('Who it is; `unknown` for somebody without a label'),
  class_id: z
    .string()
    .nullable()
    .describe('Class of the dataset that the gallery was trained with; null for other galleries'),
  indexed_identity: IndexedIdentity.nullable().describe(
    'Id of a person of an index collection; null for a person of a gallery',
  ),
  ...nearness,
});
export const SearchedFace = PictureFace.extend({
  ...FoundPerson.shape,
  person: z.string().describe('Who it is; `unknown` for nobody near enough, and for somebody without a label'),
  closest_person: z.string().nullable().optional().describe('Only of somebody unknown'),
  top_k: z.array(FoundPerson).describe('The nearest people, the nearest first'),
});
export type SearchedFace = z.infer<typeof SearchedFace>;

export const FaceSearch = z.strictObject({
  ...picture,
  faces: z.array(SearchedFace).describe('The largest first; empty when there is none'),
  models,
});
export type FaceSearch = z.infer<typeof FaceSearch>;
