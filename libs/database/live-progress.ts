import { isActive } from './entities/index.js';
/** Maximum number of chunks of a fold, from the one it waits for, that are read: no more are in progress at once. */
const CHUNKS_AHEAD = 16;
/**
 * Maximum number of films of a job that are read, the first ones: with more of them, running work is too small a
 * share to see.
 */
const FOLDS_AHEAD = 64;

/**
 * SQL: share of the module under the alias `m` that is analysed and not folded yet, 0..1: whole chunks that wait for
 * an earlier one, and the reported progress of running ones. The folded share is in `m.progress`.
 */
export const AHEAD = `
  CASE WHEN ${isActive('m')} THEN (
    SELECT coalesce(sum(r.done / f.chunks), 0) / CASE WHEN min(f.source_index) >= 0 THEN
             (SELECT count(*) FROM job_sources s WHERE s.job_id = m.job_id) ELSE 1 END
      FROM (SELECT *, jsonb_array_length(chunk_ids) AS chunks FROM folds
             WHERE job_id = m.job_id AND module_id = m.module_id AND NOT closed
             ORDER BY source_index LIMIT ${FOLDS_AHEAD}) f
     CROSS JOIN jsonb_array_elements_text(
       jsonb_path_query_array(f.chunk_ids, '$[$from to $to]',
         jsonb_build_object('from', f.next_chunk, 'to', f.next_chunk + ${CHUNKS_AHEAD - 1}))) c (id)
     CROSS JOIN LATERAL (
       SELECT avg(CASE WHEN a.state IN ('done', 'failed') THEN 1
                       WHEN a.state = 'requested' AND a.running_until IS NOT NULL THEN a.progress ELSE 0 END) AS done
         FROM chunk_analyses a
        WHERE a.chunk_id = c.id::uuid AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses))) r)
  ELSE 0 END`;

/**
 * Adds the analysed share to the stored progress of a job and its modules; complete only when it was stored as
 * complete.
 */
export function liveProgress<Module extends { progress: number; ahead?: number }>(
  progress: number,
  modules: Module[],
): { progress: number; modules: Module[] } {
  const ahead = modules.reduce((sum, module) => sum + (module.ahead ?? 0), 0) / Math.max(1, modules.length);
  return {
    progress: further(progress, ahead),
    modules: modules.map((module) => ({ ...module, progress: further(module.progress, module.ahead ?? 0) })),
  };
}

function further(progress: number, ahead: number): number {
  return Math.max(progress, Math.min(0.99, progress + ahead));
}
