const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds for which things are kept that no setting and no request says more about. `libs/retention` removes them afterwards. */
export const LIFETIME_SECONDS = {
  /** Files of jobs and exports, from their making on: a week, as the interface has it. */
  artifact: 7 * DAY,
  /** The clip of a segment, from its making on; it is cut anew when it is asked for again. */
  clip: DAY,
  /** The recording of a live stream, from the end of its job on. */
  recording: 7 * DAY,
  /** Observations and what is known of media, from their last use on; longer while a running job needs them. */
  observation: 7 * DAY,
  /** The record of an import, from its end on; the imported images stay. */
  datasetImport: 7 * DAY,
  /** The picture that an observed difference of a canary is shown with. */
  canaryPicture: 7 * DAY,
  /** What analyses took on a day: longer than a question of `GET /v1/usage/` reaches back. */
  usage: 800 * DAY,
  /** The tombstone of a job: by then no lease of work in flight is left. */
  jobTombstone: 2 * DAY,
  /** What a request under an Idempotency-Key was answered, or did without an answer. */
  idempotencyKey: DAY,
  /** Files of an upload of a model that was never finished. */
  abandonedModel: DAY,
  /** A retired version of a dictionary or model: a job that was being posted meanwhile has noted its pin by then. */
  formerVersion: HOUR,
  /** A question that a client waits for: the client has given up long before. */
  onlineInference: 10 * MINUTE,
} as const;

/** Kinds of things that a workspace may keep for a time of its own. */
export const RETENTION_KINDS = [
  'observations',
  'results',
  'artifacts',
  'uploads',
  'recordings',
  'audit_lines',
  'receipts',
  'faces',
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

export const MIN_RETENTION_SECONDS = HOUR;
export const MAX_RETENTION_SECONDS = 50 * 365 * DAY;

/** Tags of one workspace that may be under a legal hold. */
export const MAX_HELD_TAGS = 1_000;
