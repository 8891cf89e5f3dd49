/**
 * Statements of 0.1.0, unchanged: during an upgrade they meet rows of later builds. Those of later releases are
 * added.
 */

/** Gateway: inserts jobs from a JSON list. */
export const INSERT_JOBS = `
  WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb)
      AS row (id uuid, workspace_id uuid, tag text, priority integer, media_type text, sources jsonb, webhook jsonb,
              ttl integer, traceparent text, batch_id uuid, modules jsonb, analyses jsonb, envelope jsonb)
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
    INSERT INTO job_modules (job_id, module_id, position, posted_as, args, range, models, dictionaries, analyses, state)
    SELECT given.id, m."moduleId", m.position, m."postedAs", m.args, m.range, m.models, m.dictionaries, m.analyses, m.state
      FROM given, jsonb_to_recordset(modules)
        AS m ("moduleId" text, position integer, "postedAs" text, args jsonb, range jsonb, models jsonb, dictionaries jsonb,
              analyses jsonb, state text)
  ), analysis AS (
    INSERT INTO job_analyses (job_id, digest, analysis, family, args, frames, models)
    SELECT given.id, a.digest, a.analysis, a.family, a.args, a.frames, a.models
      FROM given, jsonb_to_recordset(given.analyses)
        AS a (digest text, analysis text, family text, args jsonb, frames jsonb, models jsonb)
  ), message AS (
    INSERT INTO outbox (topic, key, envelope) SELECT 'jobs.submitted', workspace_id::text, envelope FROM given
  )
  SELECT id, time_created AS "timeCreated", batch_id AS "batchId" FROM job`;

/** Scheduler: selects jobs that could take a slot. */
export const CANDIDATES = `
  SELECT j.id, j.workspace_id, w.weight, true AS active, j.rank, j.time_created, j.traceparent, j.admitted,
         c.requested + s.opening AS in_flight, s.opening, c.planned, s.waiting AS waiting_sources,
         c.ahead AS sources_ahead, s.known
    FROM jobs j
    JOIN workspaces w ON w.id = j.workspace_id
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE state IN ('requested', 'decoded'))::int AS requested,
             count(*) FILTER (WHERE state = 'planned')::int AS planned,
             count(DISTINCT source_start) FILTER (WHERE state = 'planned')::int AS ahead
        FROM chunks WHERE job_id = j.id) c
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE state = 'requested')::int AS opening,
             count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
             coalesce(bool_or(state = 'planned'), false) AS known
        FROM job_sources WHERE job_id = j.id) s
   WHERE j.admitted AND j.state IN ('waiting', 'processing') AND j.time_deleted IS NULL
  UNION ALL
  SELECT n.id, n.workspace_id, w.weight, false, n.rank, n.time_created, n.traceparent, n.admitted, 0, 0,
         (SELECT count(*)::int FROM chunks WHERE job_id = n.id AND state = 'planned'),
         (SELECT count(*)::int FROM job_sources WHERE job_id = n.id AND state = 'waiting'),
         0, EXISTS (SELECT 1 FROM job_sources WHERE job_id = n.id AND state = 'planned')
    FROM workspaces w
    CROSS JOIN LATERAL (
      SELECT * FROM jobs j
       WHERE j.workspace_id = w.id AND j.state = 'waiting' AND NOT j.admitted AND j.time_deleted IS NULL
       ORDER BY j.rank, j.time_created LIMIT $1) n`;

/** Scheduler: assigns slots to a job. */
export const GIVE = `
  WITH j AS (UPDATE jobs SET admitted = true WHERE id = $1 AND NOT admitted),
  c AS (
    UPDATE chunks SET state = 'requested', lease_until = $3 WHERE id IN (
      SELECT id FROM chunks WHERE job_id = $1 AND state = 'planned' ORDER BY source_start, position LIMIT $2::int)
    RETURNING id, source_start, position),
  s AS (
    UPDATE job_sources SET state = 'requested', lease_until = $3 WHERE job_id = $1 AND index IN (
      SELECT index FROM job_sources WHERE job_id = $1 AND state = 'waiting' ORDER BY index
       LIMIT least($2::int - (SELECT count(*) FROM c), $4::int))
    RETURNING index)
  SELECT coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'sourceStart', source_start)
                                    ORDER BY source_start, position) FROM c), '[]') AS chunks,
         coalesce((SELECT jsonb_agg(index ORDER BY index) FROM s), '[]') AS sources`;

/** Decoder: reads what it needs to decode a chunk. */
export const TASK = `
  SELECT jsonb_build_object('id', c.id, 'jobId', c.job_id, 'sourceStart', c.source_start, 'sourceEnd', c.source_end,
                            'interval', c.interval) AS chunk,
         jsonb_build_object('id', j.id, 'workspaceId', j.workspace_id, 'state', j.state, 'sources', j.sources,
                            'traceparent', j.traceparent) AS job,
         (SELECT jsonb_agg(jsonb_build_object('index', s.index, 'state', s.state, 'mediaDigest', s.media_digest,
                                              'facts', s.facts) ORDER BY s.index)
            FROM job_sources s
           WHERE s.job_id = j.id AND s.index >= c.source_start AND s.index < c.source_end) AS sources,
         (SELECT jsonb_agg(jsonb_build_object('state', m.state, 'range', m.range, 'analyses', m.analyses))
            FROM job_modules m WHERE m.job_id = j.id) AS modules,
         (SELECT coalesce(jsonb_agg(to_jsonb(a)), '[]')
            FROM job_analyses a JOIN chunk_analyses n ON n.chunk_id = c.id AND n.digest = a.digest AND n.state = 'waiting'
           WHERE a.job_id = j.id) AS analyses
    FROM chunks c JOIN jobs j ON j.id = c.job_id WHERE c.id = $1`;

/** Decoder: marks the chunk as decoded. */
export const DECODED = `
  WITH j AS (
    SELECT id FROM jobs WHERE id = $1 AND state IN ('waiting', 'processing') AND time_deleted IS NULL FOR UPDATE),
  c AS (
    UPDATE chunks SET state = $3, packs = $4::jsonb, lease_until = NULL FROM j
     WHERE chunks.id = $2 AND chunks.state = 'requested'),
  a AS (
    UPDATE chunk_analyses SET state = 'requested', lease_until = $6 FROM j
     WHERE chunk_id = $2 AND digest = ANY($5::text[]) AND chunk_analyses.state = 'waiting')
  SELECT EXISTS (SELECT 1 FROM j) AS live`;

const UNITS_OF_CHUNK = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'sourceIndex', u.index, 'mediaDigest', u.media_digest, 'facts', u.facts) ORDER BY u.index), '[]')
     FROM job_sources u
    WHERE u.job_id = c.job_id AND u.index >= c.source_start AND u.index < c.source_end
      AND u.state = 'planned' AND u.media_digest IS NOT NULL AND u.facts IS NOT NULL)`;

/** Worker: reads what it needs to analyse a chunk. */
export const WORK = `
  SELECT w.observation_cache AS "keepCache", to_jsonb(r) AS request,
         jsonb_build_object('id', j.id, 'workspaceId', j.workspace_id, 'traceparent', j.traceparent) AS job,
         jsonb_build_object('id', c.id, 'packs', c.packs, 'interval', c.interval) AS chunk,
         ${UNITS_OF_CHUNK} AS units
    FROM chunks c
    JOIN jobs j ON j.id = c.job_id
    JOIN workspaces w ON w.id = j.workspace_id
    JOIN job_analyses r ON r.job_id = c.job_id AND r.digest = $2
   WHERE c.id = $1`;
