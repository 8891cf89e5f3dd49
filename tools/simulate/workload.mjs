// Workspaces and their queued jobs.
import { randomUUID } from 'node:crypto';
import { JobRequest } from '@adit/contracts';
import { JobCommands } from '@adit/jobs';
import { resolved } from './analysis.mjs';
import { addressOf } from './films.mjs';

const MODULES = [
  {
    moduleId: 'face_recognition',
    postedAs: 'face_recognition',
    args: {},
    range: null,
    models: [],
    media: ['image', 'video'],
    analyses: [resolved],
  },
];

export async function newWorkspace(db) {
  const [{ id }] = await db.query(
    `INSERT INTO workspaces (id, name, signing_secret) VALUES ($1, 'simulated', 's') RETURNING id`,
    [randomUUID()],
  );
  return id;
}

/** Posts a job as the gateway does. */
export async function post({ outbox, objects }, workspaceId, chunks) {
  const request = JobRequest.parse({ sources: [addressOf(chunks)], modules: { face_recognition: {} } });
  const { job } = await new JobCommands(outbox, objects).submit({
    ...{ workspaceId, request, modules: MODULES, mediaType: 'video', traceparent: null },
  });
  return job.id;
}

/**
 * Queues jobs for a workspace, of so many chunks each: copies of one that was posted, which are quicker to write. They were
 * posted one after the other before it.
 */
export async function queue(db, jobId, sizes) {
  const [{ copied }] = await db.query(COPIES, [jobId, sizes.map(addressOf)]);
  if (copied !== sizes.length) throw new Error(`Only ${copied} of ${sizes.length} jobs were queued.`);
}

const columns = (own) => `jsonb_populate_record(${own}, jsonb_build_object`;
const COPIES = `
  WITH made AS MATERIALIZED (
    SELECT gen_random_uuid() AS id, uri, n FROM unnest($2::text[]) WITH ORDINALITY AS u (uri, n)),
  job AS (
    INSERT INTO jobs SELECT (${columns('j')}('id', made.id, 'time_created', j.time_created - make_interval(secs => made.n)))).*
      FROM jobs j, made WHERE j.id = $1 RETURNING id),
  source AS (
    INSERT INTO job_sources SELECT (${columns('s')}('job_id', made.id, 'uri', made.uri))).*
      FROM job_sources s, made WHERE s.job_id = $1),
  module AS (
    INSERT INTO job_modules SELECT (${columns('m')}('job_id', made.id))).*
      FROM job_modules m, made WHERE m.job_id = $1),
  analysis AS (
    INSERT INTO job_analyses SELECT (${columns('a')}('job_id', made.id))).*
      FROM job_analyses a, made WHERE a.job_id = $1)
  SELECT count(*)::int AS copied FROM job`;
