/** SQL: the kind of a chunk under the alias `c`, as `extentOf` reads it. */
export const CHUNK_KIND = `CASE jsonb_typeof(c.interval) WHEN 'object' THEN coalesce(c.interval ->> 'kind', 'video') ELSE 'image' END`;

/** SQL: `extentName` of a chunk under the alias `c`. */
export const EXTENT_NAME = `CASE ${CHUNK_KIND} WHEN 'image' THEN coalesce('page-' || (c.interval ->> 'page'), 'image')
  WHEN 'audio' THEN concat('audio-', c.interval ->> 'startMs', '-', c.interval ->> 'endMs')
  ELSE concat(CASE WHEN (c.interval ->> 'first')::boolean THEN 'from-' END, c.interval ->> 'frameStart', '-', c.interval ->> 'frameEnd') END`;

/**
 * SQL: the readable sources of a chunk under the alias `c` as JSON, in order; with its extent they are its units. A
 * refused picture is left out. A film or recording has chunks because it could be opened: one that is refused when it
 * is opened again for another module is still listed for the modules that read it.
 */
export const UNITS_OF_CHUNK = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'sourceIndex', u.index, 'mediaDigest', u.media_digest, 'facts', u.facts) ORDER BY u.index), '[]')
     FROM job_sources u
    WHERE u.job_id = c.job_id AND u.index >= c.source_start AND u.index < c.source_end
      AND (u.state <> 'failed' OR ${CHUNK_KIND} <> 'image') AND u.media_digest IS NOT NULL AND u.facts IS NOT NULL)`;
