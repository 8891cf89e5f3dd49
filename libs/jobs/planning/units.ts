/**
 * SQL: the readable units of a chunk under the alias `c` as JSON, in source order; without the interval. A picture that was
 * refused is left out. A film has chunks because it could be opened: one that is opened again for another module, and refused
 * then, is still there for those that look at it.
 */
export const UNITS_OF_CHUNK = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object(
            'sourceIndex', u.index, 'mediaDigest', u.media_digest, 'facts', u.facts) ORDER BY u.index), '[]')
     FROM job_sources u
    WHERE u.job_id = c.job_id AND u.index >= c.source_start AND u.index < c.source_end
      AND (u.state <> 'failed' OR c.interval IS NOT NULL) AND u.media_digest IS NOT NULL AND u.facts IS NOT NULL)`;
