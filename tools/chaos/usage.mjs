// Whether usage adds up to what was run. Triggers note what processes send, and what is recorded of it, in the transactions that do so.
import { queryDatabase } from '@adit/testing';

/** Share by which sums may differ. */
const TOLERANCE = 0.01;

const NOTES = `
  CREATE TABLE chaos_sent (chunk_id uuid, digest text, use jsonb);
  CREATE FUNCTION chaos_note_sent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO chaos_sent SELECT (p ->> 'chunkId')::uuid, p ->> 'analysisDigest', p -> 'use'
      FROM (SELECT NEW.envelope -> 'payload' AS p) m WHERE p ? 'use';
    RETURN NULL; END $$;
  CREATE TRIGGER chaos_sent AFTER INSERT ON outbox FOR EACH ROW WHEN (NEW.topic = 'chunks.analysed')
    EXECUTE FUNCTION chaos_note_sent();
  CREATE TABLE chaos_recorded (chunk_id uuid, digest text, modules text[]);
  CREATE FUNCTION chaos_note_recorded() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO chaos_recorded SELECT NEW.chunk_id, NEW.digest, array_agg(m.module_id) FROM job_modules m
     WHERE m.job_id = NEW.job_id AND NEW.digest IN (SELECT value FROM jsonb_each_text(m.analyses));
    RETURN NULL; END $$;
  CREATE TRIGGER chaos_recorded AFTER UPDATE ON chunk_analyses FOR EACH ROW
    WHEN (OLD.state IN ('waiting', 'requested') AND NEW.state IN ('done', 'failed')) EXECUTE FUNCTION chaos_note_recorded()`;

/**
 * By module, seconds that were counted, and the least and the most that they may be: of a chunk that was analysed twice before an
 * outcome was recorded, either one is it. Media count once for a chunk and a module.
 */
const SUMS = `
  WITH sent AS (
    SELECT chunk_id, digest, max((use ->> 'media')::float8) AS media,
           min((use ->> 'wall')::float8) AS least_wall, max((use ->> 'wall')::float8) AS most_wall,
           min((use ->> 'cpu')::float8 + (use ->> 'gpu')::float8) AS least_models,
           max((use ->> 'cpu')::float8 + (use ->> 'gpu')::float8) AS most_models
      FROM chaos_sent GROUP BY 1, 2),
  run AS (
    SELECT r.chunk_id, module, s.media, s.least_wall / cardinality(r.modules) AS least_wall, s.most_wall / cardinality(r.modules) AS most_wall,
           s.least_models / cardinality(r.modules) AS least_models, s.most_models / cardinality(r.modules) AS most_models
      FROM chaos_recorded r JOIN sent s USING (chunk_id, digest) CROSS JOIN LATERAL unnest(r.modules) AS module),
  media AS (
    SELECT module, sum(media) AS media FROM (SELECT module, chunk_id, max(media) AS media FROM run GROUP BY 1, 2) c GROUP BY 1),
  wanted AS (
    SELECT module, media.media, sum(least_wall) AS least_wall, sum(most_wall) AS most_wall, sum(least_models) AS least_models,
           sum(most_models) AS most_models
      FROM run JOIN media USING (module) GROUP BY 1, 2),
  counted AS (
    SELECT module_id AS module, sum(media_seconds) AS media, sum(chunk_seconds) AS wall, sum(cpu_seconds + gpu_seconds) AS models
      FROM usage_days GROUP BY 1)
  SELECT module, v.* FROM wanted w FULL JOIN counted c USING (module) CROSS JOIN LATERAL (VALUES
    ('media seconds', c.media, w.media, w.media), ('chunk seconds', c.wall, w.least_wall, w.most_wall),
    ('model seconds', c.models, w.least_models, w.most_models)) AS v (kind, counted, least, most)
  ORDER BY module, kind`;

/** Begins to note what is run; before the first job. */
export async function watchUsage(url) {
  await queryDatabase(url, NOTES);
}

/**
 * Compares what was counted with what was run.
 *
 * @returns {Promise<{ faults: string[], seconds: Record<string, number> }>} Sums that differ, and what was counted, by kind.
 */
export async function usageFaults(url) {
  const rows = await queryDatabase(url, SUMS);
  const faults = rows
    .filter(({ counted, least, most }) => !(counted >= least * (1 - TOLERANCE) && counted <= most * (1 + TOLERANCE)))
    .map(
      ({ module, kind, counted, least, most }) =>
        `${module}: ${counted} ${kind} were counted, and ${least} to ${most} were run`,
    );
  const seconds = {};
  for (const { kind, counted } of rows) seconds[kind] = (seconds[kind] ?? 0) + Number(counted);
  if (!(seconds['media seconds'] > 0)) faults.push('no media were counted');
  return { faults, seconds };
}
