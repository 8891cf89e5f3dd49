import { randomUUID } from 'node:crypto';
import { AditError, conformOf } from '@adit/contracts';
import {
  columnNames,
  columnsOf,
  JobAnalysisEntity,
  JobEntity,
  JobModuleEntity,
  recordColumns,
  recordFields,
} from '@adit/database';
import type { NewJob } from './new-job.js';
import { keysDone } from '@adit/idempotency';
import { insertedStreams, newRecordingSecret, type NewStream } from '@adit/streams';
import { envelopeText, writtenMessages } from '@adit/outbox';
import type { ShownJob, ShownModule } from '@adit/presentation';

/** Columns posted with a job and its parts, except for its sources and its batch. */
const POSTED_COLUMNS = [
  ...(['id', 'workspaceId', 'tag', 'priority'] as const),
  ...([
    'mediaType',
    'webhook',
    'ttl',
    'traceparent',
    'recorded',
    'rotateSeconds',
    'conform',
    'program',
    'keyId',
    'exportId',
  ] as const),
] as const;
type PostedJob = Pick<JobEntity, (typeof POSTED_COLUMNS)[number]>;
const POSTED = columnsOf(JobEntity, POSTED_COLUMNS);
const MODULE = columnsOf(JobModuleEntity).filter(
  ({ property }) => !['jobId', 'error', 'segmentCount'].includes(property),
);
const ANALYSIS = columnsOf(JobAnalysisEntity).filter(({ property }) => property !== 'jobId');

/**
 * Inserts jobs, their parts and their messages by one statement: clients wait for one round trip to the database and
 * one flush of its log. The parameter is a JSON list of elements made by `jobInsertion`. The statement returns each
 * job's creation time and batch. It writes nothing into a workspace that is erased or being erased.
 */
export const INSERT_JOBS = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb)
      AS row (${recordColumns(POSTED)}, "batchId" uuid, "idempotencyKey" text, sources jsonb, modules jsonb, analyses jsonb, envelope jsonb,
                stream jsonb)
  ), given AS MATERIALIZED (
    -- Not by a join, which could change the order in which they are told of.
    SELECT * FROM asked WHERE (SELECT w.time_deleted IS NULL FROM workspaces w WHERE w.id = asked."workspaceId")
  ), job AS (
    INSERT INTO jobs (${columnNames(POSTED)}, state, rank, sources, batch_id)
    SELECT ${recordFields(POSTED, 'given')}, 'waiting', 9 - priority, sources,
           (SELECT b.id FROM batches b
             WHERE b.id = given."batchId" AND b.workspace_id = given."workspaceId" AND b.time_deleted IS NULL)
      FROM given
    RETURNING id, time_created, batch_id
  ), source AS (
    INSERT INTO job_sources (job_id, index, uri, name, state)
    SELECT given.id, at - 1, uri,
           CASE WHEN uri ILIKE 'storage://%' THEN
             (SELECT e.name FROM storage_entries e WHERE e.key = substr(uri, 11) AND e.workspace_id = given."workspaceId")
           END, 'waiting'
      FROM given, jsonb_array_elements_text(sources) WITH ORDINALITY AS source (uri, at)
    RETURNING job_id, index, name
  ), module AS (
    INSERT INTO job_modules (job_id, ${columnNames(MODULE)})
    SELECT given.id, ${recordFields(MODULE, 'm')} FROM given, jsonb_to_recordset(modules) AS m (${recordColumns(MODULE)})
  ), analysis AS (
    INSERT INTO job_analyses (job_id, ${columnNames(ANALYSIS)})
    SELECT given.id, ${recordFields(ANALYSIS, 'a')}
      FROM given, jsonb_to_recordset(given.analyses) AS a (${recordColumns(ANALYSIS)})
  ), message AS (
    ${writtenMessages(`SELECT 'jobs.submitted', id::text, envelope, "workspaceId"::text FROM given`)}
  ), done AS (
    ${keysDone('given')}
  ), live AS (
    ${insertedStreams('given')}
  )
  SELECT asked.id, job.time_created AS "timeCreated", job.batch_id AS "batchId",
         (SELECT jsonb_agg(source.name ORDER BY source.index) FROM source WHERE source.job_id = asked.id) AS "names"
    FROM asked LEFT JOIN job ON job.id = asked.id`;

/** Values of an inserted job that only the database knows; the batch is null when it was deleted meanwhile. */
type MadeJob = Pick<ShownJob, 'id' | 'timeCreated' | 'batchId' | 'names'>;

/** Row that INSERT_JOBS returns for each job; the time is null when its workspace no longer exists. */
export type InsertedJob = Omit<MadeJob, 'timeCreated'> & { timeCreated: MadeJob['timeCreated'] | null };

/** Throws NOT_FOUND for a job that was not written. */
export function written({ timeCreated, ...others }: InsertedJob): MadeJob {
  if (timeCreated === null) throw new AditError('NOT_FOUND', 'This workspace was erased.');
  return { ...others, timeCreated };
}

type ModuleRow = Omit<JobModuleEntity, 'jobId' | 'error' | 'segmentCount'>;

/** Rows of a job's modules, shared by jobs with the same modules. */
interface Parts {
  shown: ShownModule[];
  modules: string;
  analyses: string;
}

/** Cache by the list of modules, which the gateway resolves once for all jobs that ask for the same. */
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

/** The stream of a job with a live source: the only source that it has. */
function streamOf({ live }: NewJob): { stream?: NewStream } {
  if (live === undefined) return {};
  const { address, recordSeconds: seconds } = live;
  const record = seconds === undefined ? {} : { record: { seconds, secret: newRecordingSecret() } };
  return { stream: { id: randomUUID(), sourceIndex: 0, address, ...record } };
}

/**
 * Makes an element of INSERT_JOBS' list as JSON, and the fields of the job that are shown beside MadeJob. The job
 * completes the request of its idempotency key, if there is one.
 */
export function jobInsertion(
  id: string,
  newJob: NewJob,
  idempotencyKey: string | null = null,
): { text: string; job: Omit<ShownJob, keyof MadeJob>; modules: ShownModule[] } {
  const { workspaceId, request, mediaType, traceparent, keyId = null, exportId = null } = newJob;
  const { tag, priority, sources, ttl = null, webhook = null, batch = null, program = null } = request;
  const { shown, modules, analyses } = partsOf(newJob.modules);
  const conform = conformOf(request);
  const recorded = newJob.live?.recordSeconds !== undefined;
  const rotateSeconds = newJob.live?.rotateSeconds ?? null;
  const posted = { id, workspaceId, tag, priority, mediaType, webhook, ttl, traceparent };
  const own: PostedJob = { ...posted, recorded, rotateSeconds, conform, program, keyId, exportId };
  const envelope = envelopeText({ topic: 'jobs.submitted', key: id, jobId: id, traceparent, payload: {} });
  const head = JSON.stringify({ ...own, sources, batchId: batch, idempotencyKey, ...streamOf(newJob) });
  // The parts are JSON already, made once for all jobs with the same modules.
  const text = `${head.slice(0, -1)},"modules":${modules},"analyses":${analyses},"envelope":${envelope}}`;
  const sourceCount = sources.length;
  const job = { tag, priority, mediaType, sources, sourceCount, webhook, ttl, state: 'waiting' as const, progress: 0 };
  return {
    text,
    job: {
      ...{ ...job, recorded, rotateSeconds, conform, program, previousPart: null, nextPart: null },
      ...{ errors: [], summary: [], timeStarted: null, timeCompleted: null },
    },
    modules: shown,
  };
}
