/**
 * What is beside a moment in its source, found between two bounds of an index. Documents are told apart by how long they last: of
 * those of one class the start says how late the end is at the most, so that one long document does not make all others be read.
 */

/** SQL: the class of a document; an index begins with it (`search_documents_by_duration`). */
const DURATION_CLASS = `width_bucket(%.time_end - %.time_start, '{8,64,512}'::double precision[])`;
/** Seconds that a document of each class lasts at the most; in the last one any time. */
const LONGEST = ['8', '64', '512', `'infinity'`];

/**
 * SQL: rows `o` of the source of `d` that meet `condition` and are at most so many seconds away from it, both ways.
 *
 * @param seconds SQL
 */
export function beside(condition: string, seconds: string): string {
  const classes = LONGEST.map((longest, at) => `(${at}, ${longest}::float8)`).join(', ');
  return `EXISTS (SELECT 1 FROM (VALUES ${classes}) AS c (class, longest) CROSS JOIN LATERAL (
    SELECT 1 FROM search_documents o
     WHERE o.job_id = d.job_id AND o.source_index = d.source_index AND ${DURATION_CLASS.replaceAll('%', 'o')} = c.class
       AND o.time_start >= d.time_start - ${seconds}::float8 - c.longest
       AND o.time_start <= d.time_end + ${seconds}::float8 AND o.time_end >= d.time_start - ${seconds}::float8
       AND o.workspace_id = d.workspace_id AND ${condition} LIMIT 1) near)`;
}
