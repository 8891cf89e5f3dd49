import { AHEAD } from './live-progress.js';
import type { ShownJob, ShownModule } from './present-job.js';

/** Most sources, and summaries of sources, of a job in a list or an event: it may have ten thousand. */
const LISTED_SOURCES = 100;

/** What `shownColumns` gives. */
export type ShownRow = ShownJob & { workspaceId: string; segmentCount: number; modules: ShownModule[] };

/** SQL: what is shown of a job under the alias `j`, with all of its sources (`whole`) or the first hundred. */
export function shownColumns(extent: 'whole' | 'listed'): string {
  const [bound, summary] =
    extent === 'whole'
      ? ['', 'j.summary']
      : [`AND s.index < ${LISTED_SOURCES}`, `jsonb_path_query_array(j.summary, '$[0 to ${LISTED_SOURCES - 1}]')`];
  return `
    j.id, j.tag, j.state, j.errors, j.progress, j.ttl, j.priority, j.webhook, j.media_type AS "mediaType",
    j.batch_id AS "batchId", j.workspace_id AS "workspaceId", j.segment_count AS "segmentCount",
    j.time_created AS "timeCreated", j.time_started AS "timeStarted", j.time_completed AS "timeCompleted",
    ${summary} AS summary,
    (SELECT coalesce(jsonb_agg(s.uri ORDER BY s.index), '[]') FROM job_sources s
      WHERE s.job_id = j.id ${bound}) AS sources,
    (SELECT coalesce(max(s.index) + 1, 0) FROM job_sources s WHERE s.job_id = j.id) AS "sourceCount",
    (SELECT coalesce(jsonb_agg(jsonb_build_object('position', m.position, 'postedAs', m.posted_as, 'args', m.args,
              'state', m.state, 'progress', m.progress, 'ahead', ${AHEAD})), '[]')
       FROM job_modules m WHERE m.job_id = j.id) AS modules`;
}
