const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds for which things are kept that no setting and no request says more about. `libs/retention` removes them afterwards. */
export const LIFETIME_SECONDS = {
  /** Files of jobs and exports, from their making on: a week, as the interface has it. */
  artifact: 7 * DAY,
  /** Observations and what is known of media, from their last use on; longer while a running job needs them. */
  observation: 7 * DAY,
  /** The record of an import, from its end on; the imported images stay. */
  datasetImport: 7 * DAY,
  /** The picture that an observed difference of a canary is shown with. */
  canaryPicture: 7 * DAY,
  /** The tombstone of a job: by then no lease of work in flight is left. */
  jobTombstone: 2 * DAY,
  /** The outcome of a request under its Idempotency-Key that nobody has answered. */
  idempotencyKey: DAY,
  /** Files of an upload of a model that was never finished. */
  abandonedModel: DAY,
  /** A retired version of a dictionary or model: a job that was being posted meanwhile has noted its pin by then. */
  formerVersion: HOUR,
  /** A question that a client waits for: the client has given up long before. */
  onlineInference: 10 * MINUTE,
} as const;
