import { columnSelection, columnsOf, JobEntity, AHEAD } from '@adit/database';
import type { ShownJob, ShownModule } from './present-job.js';

/** Maximum number of sources, and summaries of sources, of a job in a list or an event: a job may have ten thousand. */
const LISTED_SOURCES = 100;

/** Columns of `shownColumns`. */
export type ShownRow = JobEntity & ShownJob & { modules: ShownModule[] };

/** Jobs that may have been deleted: they are shown while they are there. */
const LINKS: readonly string[] = ['previousPart', 'nextPart'];
const OWN = columnsOf(JobEntity).filter(({ property }) => !LINKS.includes(property));

/** SQL: a job under the alias `j`, with all of its sources (`whole`) or the first hundred. */
export function shownColumns(extent: 'whole' | 'listed'): string {
  const [bound, summary] =
    extent === 'whole'
      ? ['', 'j.summary']
      : [`AND s.index < ${LISTED_SOURCES}`, `jsonb_path_query_array(j.summary, '$[0 to ${LISTED_SOURCES - 1}]')`];
  return `
    ${columnSelection(OWN, 'j')},
    (SELECT p.id FROM jobs p WHERE p.id = j.previous_part AND p.time_deleted IS NULL) AS "previousPart",
    (SELECT n.id FROM jobs n WHERE n.id = j.next_part AND n.time_deleted IS NULL) AS "nextPart",
    ${summary} AS summary,
    (SELECT coalesce(jsonb_agg(s.uri ORDER BY s.index), '[]') FROM job_sources s
      WHERE s.job_id = j.id ${bound}) AS sources,
    (SELECT jsonb_agg(s.name ORDER BY s.index) FROM job_sources s WHERE s.job_id = j.id ${bound}) AS names,
    (SELECT coalesce(max(s.index) + 1, 0) FROM job_sources s WHERE s.job_id = j.id) AS "sourceCount",
    (SELECT coalesce(jsonb_agg(jsonb_build_object('position', m.position, 'postedAs', m.posted_as, 'args', m.args,
              'state', m.state, 'progress', m.progress, 'ahead', ${AHEAD})), '[]')
       FROM job_modules m WHERE m.job_id = j.id) AS modules`;
}
