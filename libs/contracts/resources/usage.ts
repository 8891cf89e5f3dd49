import { z } from 'zod';
import { QuotaUse } from './quota.js';

/** Days that one question may span. */
export const MAX_USAGE_DAYS = 400;
/** Rows of one answer. */
export const MAX_USAGE_ROWS = 10_000;

export const USAGE_GROUPS = ['workspace', 'day', 'module', 'key'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** A day as 2026-11-30. */
export const Day = z.string().refine(isDay, 'a day is written 2026-11-30').meta({ format: 'date' });

const Seconds = z.number().nonnegative();

const UsageRow = z.strictObject({
  workspace_id: z.uuid().nullable().describe('The workspace; null unless grouped by it'),
  day: Day.nullable().describe('The day in UTC; null unless grouped by it'),
  module: z.string().nullable().describe('Id of the module; null unless grouped by it'),
  key: z
    .strictObject({
      id: z.string().nullable().describe('Id of the key that posted the jobs; null where that is not known'),
      name: z.string().nullable().describe('Its name; null once it is deleted'),
    })
    .nullable()
    .describe('The key; null unless grouped by it'),
  media_seconds: Seconds.describe('Length of the media that was analysed; once for each module that asked for it'),
  chunk_seconds: Seconds.describe('Wall time of the analyses of chunks'),
  cpu_model_seconds: Seconds.describe('Time that models ran on CPUs'),
  gpu_model_seconds: Seconds.describe('Time that models ran on GPUs; of a batch each chunk has its share of rows'),
});
export type UsageRow = z.infer<typeof UsageRow>;

export const Usage = z.strictObject({
  from: Day.describe('First day, in UTC'),
  to: Day.describe('Last day, included'),
  rows: z.array(UsageRow).describe('Sums of each group, in the order of the groups'),
  bytes: z
    .strictObject({
      uploads: z.int().describe('Uploaded files, uploads under way included'),
      transcripts: z.int().describe('Transcripts with all their versions'),
      recordings: z.int().describe('Recordings of live streams'),
    })
    .nullable()
    .describe('Bytes that the workspace stores now; null where all workspaces were asked for'),
  quotas: z
    .array(QuotaUse)
    .nullable()
    .describe('The quotas of the workspace, and what is left of each; null where all workspaces were asked for'),
});
export type Usage = z.infer<typeof Usage>;

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  // A parser may take the 31st of February for a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
