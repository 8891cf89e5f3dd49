import { StandardArguments } from '@adit/contracts';
import { z } from 'zod';

/** Used when a request names no model and it is installed. */
export const PUBLIC_MODEL = 'general-b';

export const LandmarkArguments = StandardArguments.extend({
  model: z
    .string()
    .min(1)
    .optional()
    .describe(
      `Name, id or digest of a landmark model. Left out: ${PUBLIC_MODEL}, else the one default that is installed.`,
    ),
  min_similarity: z.number().min(0).max(1).default(0.75).meta({
    description:
      'How like one of its photos a picture must be for the landmark to count. Left out: what the training of the model found, else 0.75.',
    // A client that sends a schema's default would override the trained value.
    default: undefined,
  }),
});
export type LandmarkArguments = z.infer<typeof LandmarkArguments>;
