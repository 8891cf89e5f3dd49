import { z } from 'zod';
import { Box } from '../observations.js';
import { IsoTime } from '../values/time.js';

/** `ended`: what it compared is no longer what is used, or the version that was tried cannot be. */
export const CanaryState = z.enum(['running', 'promoted', 'dropped', 'ended']);
export type CanaryState = z.infer<typeof CanaryState>;

/** POST /v1/models/{id}/canary/. */
export const CanaryRequest = z.strictObject({
  version: z.int().positive().max(1e9).describe('The candidate: a version that the name does not mean'),
  share: z.number().gt(0).max(1).describe('Part of the chunks that it runs on as well, 0..1'),
});
export type CanaryRequest = z.infer<typeof CanaryRequest>;

/** A detection by one of two versions. */
export const CanarySighting = z.strictObject({
  label: z.string().describe('The detected label'),
  score: z.number().describe('The network’s own, 0..1'),
  box: Box.strict().nullable().describe('In fractions of the picture; null for what is said of the whole of it'),
});
export type CanarySighting = z.infer<typeof CanarySighting>;

/** Duration of one picture in the network. */
export const RunLatency = z.strictObject({
  rows: z.int().positive().describe('Pictures that were run'),
  mean_seconds: z.number().describe('Mean, in seconds'),
  p50_seconds: z.number().describe('Median, in seconds'),
  p95_seconds: z.number().describe('95th percentile, in seconds'),
});

/** Counts of a label: both versions found it in the same place, or one alone did. */
export const CanaryLabel = z.strictObject({
  label: z.string().describe('Empty for words that jobs looked for'),
  both: z.int().describe('Times that both said it'),
  only_stable: z.int().describe('Times that the version in use alone said it'),
  only_candidate: z.int().describe('Times that the candidate alone said it'),
});

/** A picture of which two versions said different things. */
export const CanaryPicture = z.strictObject({
  id: z.uuid().describe('Id for /v1/models/{id}/canary/pictures/{picture_id}/'),
  job_id: z.uuid().describe('Job whose media it is of'),
  frame: z.int().nonnegative().describe('Frame number from the start of the source, from 0; 0 of a photo'),
  time: z.number().describe('Seconds from the beginning of the source'),
  difference: z.number().describe('Sum of the scores of what one alone saw'),
  stable: z.array(CanarySighting).describe('Detections of the version in use'),
  candidate: z.array(CanarySighting).describe('Detections of the candidate'),
});

/** A version that looks at a share of the chunks beside the one that is used, and how the two differ. */
export const Canary = z.strictObject({
  id: z.uuid().describe('Another one for each time that a version is tried'),
  state: CanaryState.describe('`running` until it is `promoted`, `dropped` or `ended`'),
  reason: z.string().nullable().describe('Why it ended; null for any other state'),
  version: z.int().positive().describe('The candidate'),
  stable_version: z.int().positive().describe('The one whose answers clients got'),
  share: z.number().describe('Part of the chunks that the candidate looks at as well, 0 to 1'),
  time_created: IsoTime.describe('When it was begun'),
  time_ended: IsoTime.nullable().describe('When it ended; null while it runs'),
  units: z
    .strictObject({
      compared: z.int().describe('Units that both versions looked at'),
      skipped: z.int().describe('Not looked at again: there was more than could be, or the process ended'),
      failed: z.int().describe('Pictures on which the candidate failed'),
      last_error: z.string().nullable().describe('Why the candidate last gave no answer; null when it never failed'),
    })
    .describe('Parts of films, and photos, of the share'),
  pictures: z
    .strictObject({
      compared: z.int().describe('Pictures that both versions looked at'),
      differing: z.int().describe('In which one of the two saw what the other did not'),
    })
    .describe('Numbers of compared and of differing pictures'),
  agreement: z.number().nullable().describe('Part of what either saw that both saw, 0..1; null before anything was'),
  labels: z.array(CanaryLabel).describe('Largest differences first, at most 1000'),
  latency: z
    .strictObject({
      stable: RunLatency.nullable().describe('Latency of the version in use; null before it ran'),
      candidate: RunLatency.nullable().describe('Latency of the candidate; null before it ran'),
    })
    .describe('Latency of one picture in the network, while both ran'),
  differing_pictures: z
    .array(CanaryPicture)
    .describe('Pictures of this workspace with the largest differences, worst first'),
});
export type Canary = z.infer<typeof Canary>;
