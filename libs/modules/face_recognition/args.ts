import { CollectionName, DEFAULT_COLLECTION, SAME_FACE_DISTANCE, StandardArguments } from '@adit/contracts';
import { z } from 'zod';

/** Used when a request names no gallery and it is installed. */
export const PUBLIC_GALLERY = 'celebrities';

export const FaceRecognitionArguments = StandardArguments.extend({
  model: z
    .string()
    .min(1)
    .optional()
    .describe(`Name, id or digest of a gallery. Left out: ${PUBLIC_GALLERY}, else the one default that is installed.`),
  models: z
    .array(z.string().min(1))
    .max(16)
    .optional()
    .describe('Several galleries; the nearest person of all is taken.'),
  max_distance: z
    .number()
    .min(0)
    .max(2)
    .default(SAME_FACE_DISTANCE)
    .meta({
      description: `A face nearer than this to a person is that person. Left out: what the training of the gallery found, else ${SAME_FACE_DISTANCE}.`,
      // A client that sends a schema's default would override the trained value.
      default: undefined,
    }),
  cluster_unknowns: z.boolean().default(false).describe('Tell unknown people apart: Unknown #1, Unknown #2, …'),
  index_unknowns: z
    .boolean()
    .default(false)
    .describe('Keep unknown people in an index collection, and know them again. Overrides cluster_unknowns.'),
  index_collection: CollectionName.default(DEFAULT_COLLECTION).describe('Name of the index collection.'),
  face_detection_scale: z
    .int()
    .min(100)
    .max(2000)
    .default(600)
    .describe("Pixels of the frame's shorter side when it reaches the detector; more finds smaller faces."),
  enable_top_k: z.boolean().default(false).describe('Name the top_k nearest people in every segment.'),
  top_k: z.int().min(1).max(10).default(3).describe('How many people, with `enable_top_k`'),
});
export type FaceRecognitionArguments = z.infer<typeof FaceRecognitionArguments>;
