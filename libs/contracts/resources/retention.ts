import { z } from 'zod';
import { MAX_RETENTION_SECONDS, MIN_RETENTION_SECONDS, RETENTION_KINDS, type RetentionKind } from '../lifetimes.js';
import { IsoTime } from '../values/time.js';

/** Start of the age of each kind, as clients read it. */
const MEANING: Record<RetentionKind, string> = {
  observations: 'Seconds that cached observations and facts of media are kept, from their last use on',
  results: 'Seconds that an ended job is kept with its results, from its end on; a `ttl` of its own may end earlier',
  artifacts: 'Seconds that files of jobs and exports are kept, from their making on',
  uploads: 'Seconds that an uploaded file is kept, from its upload on',
  recordings: 'Seconds that the recording of a live stream is kept, from the end of its job on',
  audit_lines: 'Seconds that a line of the audit log is kept; never less than the installation keeps it',
  receipts: 'Seconds that the receipt of an erasure is kept, from its completion on',
  faces: 'Seconds that embeddings of the faces that jobs find are kept for searches by a photo, from their finding on',
};

const Seconds = z
  .int()
  .min(MIN_RETENTION_SECONDS, `at least ${MIN_RETENTION_SECONDS} seconds, an hour`)
  .max(MAX_RETENTION_SECONDS, `at most ${MAX_RETENTION_SECONDS} seconds, 50 years`);

/** A field for each kind. */
function ofKinds<T extends z.ZodType>(field: (kind: RetentionKind) => T): Record<RetentionKind, T> {
  return {
    observations: field('observations'),
    results: field('results'),
    artifacts: field('artifacts'),
    uploads: field('uploads'),
    recordings: field('recordings'),
    audit_lines: field('audit_lines'),
    receipts: field('receipts'),
    faces: field('faces'),
  };
}

const ownValue = (kind: RetentionKind) =>
  Seconds.nullable().describe(`${MEANING[kind]}; null: as the installation keeps them`);

/** PUT /v1/retention/: a kind that is left out is kept as the installation keeps it. */
export const RetentionRequest = z.strictObject(
  ofKinds((kind) => ownValue(kind).default(null).describe(`${MEANING[kind]}; null, the default: as the installation`)),
);
export type RetentionRequest = z.infer<typeof RetentionRequest>;

export const Retention = z.strictObject({
  ...ofKinds(ownValue),
  defaults: z
    .strictObject(ofKinds((kind) => z.int().nullable().describe(`${MEANING[kind]}; null: no limit, 0: none is kept`)))
    .describe('Values of the installation, for kinds without a value of the workspace'),
  pending: z
    .array(z.enum(RETENTION_KINDS))
    .describe('Kinds whose last change is not yet applied to everything that was there before it'),
});
export type Retention = z.infer<typeof Retention>;

/** As jobs have it, spaces included: a hold is of exactly this tag. */
const Tag = z.string().min(1).max(255);

export const RetentionHolds = z.strictObject({
  tags: z.array(Tag).describe('Tags of jobs under a legal hold, sorted'),
});
export type RetentionHolds = z.infer<typeof RetentionHolds>;

/** Tag of a hold. */
export const HeldTag = Tag.describe('Tag of the jobs, as they were posted with');

/** POST /v1/retention/holds/. */
export const RetentionHold = z.strictObject({ tag: HeldTag });

const UpcomingItem = z.strictObject({
  id: z
    .string()
    .describe(
      'Id of the job, file, artifact, entry or receipt; of observations the digest of the media, of embeddings of faces the job',
    ),
  name: z.string().nullable().describe('Name of the file or tag of the job; null where there is none'),
  time: IsoTime.describe('When its retention ends; it is removed within minutes after that'),
});

export const RetentionUpcoming = z.strictObject({
  until: IsoTime.describe('End of the interval, from now on'),
  kinds: z
    .array(
      z.strictObject({
        kind: z.enum(RETENTION_KINDS).describe('What goes'),
        count: z.int().describe('How many of the kind go in that time'),
        is_partial: z.boolean().describe('There may be more than `count`: only the first 10,000 are looked at'),
        first: z.array(UpcomingItem).describe('The first ten of them, the next one first'),
      }),
    )
    .describe('Every kind, in a fixed order'),
});
export type RetentionUpcoming = z.infer<typeof RetentionUpcoming>;
