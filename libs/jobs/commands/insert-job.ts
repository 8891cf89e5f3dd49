import { AditError } from '@adit/contracts';
import type { JobModuleEntity } from '@adit/database';
import type { NewJob } from './new-job.js';
import { envelopeText } from '@adit/outbox';
import type { ShownJob, ShownModule } from '@adit/presentation';

/**
 * Jobs, their parts and the messages that tell of them, written by one statement: clients wait for one way to the database
 * and one flush of its log. Its parameter is a JSON list as `jobInsertion` makes its elements; it answers when each was made
 * and in which batch it lies. Nothing is written into a workspace that is being erased, or was.
 */
export const INSERT_JOBS = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb)
      AS row (id uuid, workspace_id uuid, tag text, priority integer, media_type text, sources jsonb, webhook jsonb,
              ttl integer, traceparent text, batch_id uuid, modules jsonb, analyses jsonb, envelope jsonb)
  ), given AS MATERIALIZED (
    -- Not by a join, which could change the order in which they are told of.
    SELECT * FROM asked WHERE (SELECT w.time_deleted IS NULL FROM workspaces w WHERE w.id = asked.workspace_id)
  ), job AS (
    INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, sources, webhook, ttl, traceparent, batch_id)
    SELECT id, workspace_id, tag, 'waiting', priority, 9 - priority, media_type, sources, webhook, ttl, traceparent,
           (SELECT b.id FROM batches b
             WHERE b.id = batch_id AND b.workspace_id = given.workspace_id AND b.time_deleted IS NULL)
      FROM given
    RETURNING id, time_created, batch_id
  ), source AS (
    INSERT INTO job_sources (job_id, index, uri, state)
    SELECT given.id, at - 1, uri, 'waiting'
      FROM given, jsonb_array_elements_text(sources) WITH ORDINALITY AS source (uri, at)
  ), module AS (
    INSERT INTO job_modules (job_id, module_id, position, posted_as, args, range, models, media, dictionaries, analyses,
                             state)
    SELECT given.id, m."moduleId", m.position, m."postedAs", m.args, m.range, m.models, m.media, m.dictionaries, m.analyses,
           m.state
      FROM given, jsonb_to_recordset(modules)
        AS m ("moduleId" text, position integer, "postedAs" text, args jsonb, range jsonb, models jsonb, media jsonb,
              dictionaries jsonb, analyses jsonb, state text)
  ), analysis AS (
    INSERT INTO job_analyses (job_id, digest, analysis, family, args, frames, models)
    SELECT given.id, a.digest, a.analysis, a.family, a.args, a.frames, a.models
      FROM given, jsonb_to_recordset(given.analyses)
        AS a (digest text, analysis text, family text, args jsonb, frames jsonb, models jsonb)
  ), message AS (
    INSERT INTO outbox (topic, key, envelope) SELECT 'jobs.submitted', workspace_id::text, envelope FROM given
  )
  SELECT asked.id, job.time_created AS "timeCreated", job.batch_id AS "batchId" FROM asked LEFT JOIN job ON job.id = asked.id`;

/** What only the database knows of a job that it has just written; null is the batch that was deleted meanwhile. */
type MadeJob = Pick<ShownJob, 'id' | 'timeCreated' | 'batchId'>;

/** What INSERT_JOBS answers for each; null is when it was made where its workspace is no more. */
export type InsertedJob = Omit<MadeJob, 'timeCreated'> & { timeCreated: MadeJob['timeCreated'] | null };

/** Throws NOT_FOUND for a job that was not written. */
export function written({ timeCreated, ...others }: InsertedJob): MadeJob {
  if (timeCreated === null) throw new AditError('NOT_FOUND', 'This workspace was erased.');
  return { ...others, timeCreated };
}

type ModuleRow = Pick<
  JobModuleEntity,
  | 'moduleId'
  | 'position'
  | 'postedAs'
  | 'args'
  | 'range'
  | 'models'
  | 'media'
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
    ({ moduleId, postedAs, args, range, models, media, dictionaries = [], analyses }, position): ModuleRow => ({
      moduleId,
      position,
      postedAs,
      args,
      range,
      models,
      media,
      dictionaries: dictionaries.length > 0 ? dictionaries : null,
      analyses: Object.fromEntries(analyses.map(({ analysis, digest }) => [analysis, digest])),
      state: 'waiting',
      progress: 0,
    }),
  );
  const analyses = new Map(given.flatMap((module) => module.analyses).map((analysis) => [analysis.digest, analysis]));
  return { shown: modules, modules: JSON.stringify(modules), analyses: JSON.stringify([...analyses.values()]) };
}

/** An element of INSERT_JOBS' list as JSON, and what of the job is shown beside MadeJob. */
export function jobInsertion(
  id: string,
  newJob: NewJob,
): { text: string; job: Omit<ShownJob, keyof MadeJob>; modules: ShownModule[] } {
  const { workspaceId, request, mediaType, traceparent } = newJob;
  const { tag, priority, sources, ttl = null, webhook = null, batch = null } = request;
  const { shown, modules, analyses } = partsOf(newJob.modules);
  const own = {
    id,
    workspace_id: workspaceId,
    tag,
    priority,
    media_type: mediaType,
    sources,
    webhook,
    ttl,
    traceparent,
  };
  const envelope = envelopeText({ topic: 'jobs.submitted', key: workspaceId, jobId: id, traceparent, payload: {} });
  const head = JSON.stringify({ ...own, batch_id: batch });
  // The parts are JSON already, made once for all who ask for the same.
  const text = `${head.slice(0, -1)},"modules":${modules},"analyses":${analyses},"envelope":${envelope}}`;
  const sourceCount = sources.length;
  const job = { tag, priority, mediaType, sources, sourceCount, webhook, ttl, state: 'waiting' as const, progress: 0 };
  return { text, job: { ...job, errors: [], summary: [], timeStarted: null, timeCompleted: null }, modules: shown };
}
