import type { JobModuleEntity } from '@adit/database';
import type { NewJob } from './new-job.js';
import { envelopeText } from './outbox.js';
import type { ShownJob, ShownModule } from './present-job.js';

/**
 * A job, its parts and the message that tells of it, written by one statement: a client waits for one way to the database
 * and one flush of its log. Answers when the row was made and in which batch it lies.
 */
export const INSERT_JOB = `
  WITH job AS (
    INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, sources, webhook, ttl, traceparent, batch_id)
    VALUES ($1, $2, $3, 'waiting', $4, 9 - $4, $5, $6, $7, $8, $9,
            (SELECT id FROM batches WHERE id = $14 AND workspace_id = $2 AND time_deleted IS NULL))
    RETURNING time_created, batch_id
  ), source AS (
    INSERT INTO job_sources (job_id, index, uri, state)
    SELECT $1, at - 1, uri, 'waiting' FROM jsonb_array_elements_text($6) WITH ORDINALITY AS given (uri, at)
  ), module AS (
    INSERT INTO job_modules (job_id, module_id, position, posted_as, args, range, models, dictionaries, analyses, state)
    SELECT $1, "moduleId", position, "postedAs", args, range, models, dictionaries, analyses, state
      FROM jsonb_to_recordset($10) AS given ("moduleId" text, position integer, "postedAs" text, args jsonb, range jsonb,
                                             models jsonb, dictionaries jsonb, analyses jsonb, state text)
  ), analysis AS (
    INSERT INTO job_analyses (job_id, digest, analysis, family, args, frames, models)
    SELECT $1, digest, analysis, family, args, frames, models
      FROM jsonb_to_recordset($11) AS given (digest text, analysis text, family text, args jsonb, frames jsonb, models jsonb)
  ), message AS (
    INSERT INTO outbox (topic, key, envelope) VALUES ('jobs.submitted', $12, $13)
  )
  SELECT time_created AS "timeCreated", batch_id AS "batchId" FROM job`;

/** What only the database knows of a job that it has just written; null is the batch that was deleted meanwhile. */
export type MadeJob = Pick<ShownJob, 'timeCreated' | 'batchId'>;

type ModuleRow = Pick<
  JobModuleEntity,
  | 'moduleId'
  | 'position'
  | 'postedAs'
  | 'args'
  | 'range'
  | 'models'
  | 'dictionaries'
  | 'analyses'
  | 'state'
  | 'progress'
>;

/** What a job's modules become; jobs that ask for the same share it. */
interface Parts {
  shown: ShownModule[];
  modules: string;
  analyses: string;
}

/** By the list that the gateway resolves once for all who ask for the same. */
const known = new WeakMap<NewJob['modules'], Parts>();

function partsOf(given: NewJob['modules']): Parts {
  let parts = known.get(given);
  if (parts === undefined) known.set(given, (parts = newParts(given)));
  return parts;
}

function newParts(given: NewJob['modules']): Parts {
  const modules = given.map(
    ({ moduleId, postedAs, args, range, models, dictionaries = [], analyses }, position): ModuleRow => ({
      moduleId,
      position,
      postedAs,
      args,
      range,
      models,
      dictionaries: dictionaries.length > 0 ? dictionaries : null,
      analyses: Object.fromEntries(analyses.map(({ analysis, digest }) => [analysis, digest])),
      state: 'waiting',
      progress: 0,
    }),
  );
  const analyses = new Map(given.flatMap((module) => module.analyses).map((analysis) => [analysis.digest, analysis]));
  return { shown: modules, modules: JSON.stringify(modules), analyses: JSON.stringify([...analyses.values()]) };
}

/** Parameters of INSERT_JOB, and what of the job is shown beside MadeJob. */
export function jobInsertion(
  id: string,
  newJob: NewJob,
): { parameters: unknown[]; job: Omit<ShownJob, keyof MadeJob>; modules: ShownModule[] } {
  const { workspaceId, request, mediaType, traceparent } = newJob;
  const { tag, priority, sources, ttl = null, webhook = null, batch = null } = request;
  const { shown, modules, analyses } = partsOf(newJob.modules);
  const message = envelopeText({ topic: 'jobs.submitted', key: workspaceId, jobId: id, traceparent, payload: {} });
  const parameters = [
    ...[id, workspaceId, tag, priority, mediaType, JSON.stringify(sources)],
    ...[webhook === null ? null : JSON.stringify(webhook), ttl, traceparent],
    ...[modules, analyses, workspaceId, message, batch],
  ];
  const job = { id, tag, priority, mediaType, sources, webhook, ttl, state: 'waiting' as const, progress: 0 };
  return {
    parameters,
    job: { ...job, errors: [], summary: [], timeStarted: null, timeCompleted: null },
    modules: shown,
  };
}
