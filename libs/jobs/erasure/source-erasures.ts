import { identityLabelSql } from '@adit/contracts';
import { returned } from '@adit/database';
import { eraseFoldStates } from '../chunks/fold-states.js';
import { removeSegments, removeSummaries, type SegmentPictures } from '../results/result-rows.js';
import { numberAnew } from '../results/dense-numbers.js';
import type { LockedJob } from '../state/locked-job.js';
import { ROWS_OF_STEP } from './erasures.js';

/**
 * SQL: the results of the source `s` of the job `j` are to be erased: they never were, or not since the job ended
 * last.
 */
export const NOT_ERASED = `(s.erased_end IS NULL OR s.erased_end <> coalesce(j.time_completed, '-infinity'))`;

interface ErasedFindings {
  segments: number;
  summaries: number;
  /** Identities of unknown people that no other source shows. */
  embeddings: number;
  /** Keys of pictures of the segments. */
  pictures: string[];
  /** Nothing is left, and the source is marked as erased. */
  over: boolean;
}

/** Keys of the pictures of segments, each once. */
export function picturesOf(segments: readonly SegmentPictures[]): string[] {
  const pictures = segments.flatMap(({ thumbnail, keyFrame, teaches }) =>
    [thumbnail?.key ?? [], keyFrame?.picture.key ?? [], teaches?.picture.key ?? []].flat(),
  );
  return [...new Set(pictures)];
}

/**
 * Erases some of an ended job's results of one source: the job stays, as one that found nothing there. Between two
 * steps its segments are not numbered densely. The caller rewrites its files.
 */
export async function eraseFindings(
  locked: LockedJob,
  { index, uri }: { index: number; uri: string },
  rows = ROWS_OF_STEP,
): Promise<ErasedFindings> {
  const { manager, job } = locked;
  const gone = await removeSegments(manager, { jobId: job.id, sourceIndex: index }, rows);
  const some = { segments: gone.length, pictures: picturesOf(gone) };
  if (gone.length === rows) return { ...some, summaries: 0, embeddings: 0, over: false };
  const summaries = await removeSummaries(manager, { jobId: job.id, sourceIndex: index });
  await numberAnew(locked);
  const embeddings = returned(
    await manager.query(
      `DELETE FROM identities i WHERE i.job_id = $1
          AND NOT EXISTS (SELECT 1 FROM segments s WHERE s.job_id = $1 AND s.identity_collection = i.collection
                             AND s.identity_number = i.number)
          AND NOT EXISTS (SELECT 1 FROM summaries u WHERE u.job_id = $1 AND jsonb_exists(u.meta, ${identityLabelSql('i.number')}))
       RETURNING i.number`,
      [job.id],
    ),
  );
  await eraseFoldStates(manager, job.id, index);
  await manager.query(
    `UPDATE jobs SET summary = (
       SELECT coalesce(jsonb_agg(CASE WHEN one->>'source' = $2 THEN one || '{"info": {}, "items": []}' ELSE one END
                                 ORDER BY place), '[]')
         FROM jsonb_array_elements(summary) WITH ORDINALITY AS list (one, place))
      WHERE id = $1`,
    [job.id, uri],
  );
  await manager.query(
    `UPDATE job_sources s SET erased_end = coalesce(j.time_completed, '-infinity'), name = NULL FROM jobs j
      WHERE j.id = s.job_id AND s.job_id = $1 AND s.index = $2`,
    [job.id, index],
  );
  return { ...some, summaries, embeddings: embeddings.length, over: true };
}
