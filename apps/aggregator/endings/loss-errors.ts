import { extentOf, type Extent, type MediaFacts, type StoredExtent } from '@adit/contracts';
import { sourceError } from '@adit/jobs';
import type { EntityManager } from 'typeorm';

/** Maximum number of intervals that one error names. */
const MAX_INTERVALS = 10;
/** Length of the part of a reason by which two errors count as one cause. */
const REASON_PREFIX_LENGTH = 200;

interface LostChunk {
  uri: string;
  facts: MediaFacts | null;
  sources: number;
  interval: StoredExtent;
  /** The chunk could not be decoded; otherwise an analysis of it failed. */
  decoding: boolean;
  analysis: string;
  /**
   * Chunks of its kind that the same reason has cost the source so far, this one among them: all, or of a live stream
   * those of the same stretch.
   */
  intervals: StoredExtent[];
  /** First chunk of the stretch of a live stream; null for other sources. */
  stretch: StoredExtent;
}

/** Chunks of a live stream that one error speaks of, counted from its start: a day has tens of thousands. */
const STRETCH = 100;

interface Loss {
  /** Error of the job. */
  error: string;
  /** True for an error with the same cause and fewer chunks, which this one replaces. */
  saysLess: (known: string) => boolean;
}

/**
 * Describes the loss of a chunk that was given up, and of those before it for the same reason: source, intervals and
 * reason.
 */
export async function describeLoss(
  manager: EntityManager,
  lost: { jobId: string; chunkId: string; digest: string },
  reason: string,
): Promise<Loss> {
  const [row]: LostChunk[] = await manager.query(LOST, [lost.chunkId, lost.jobId, lost.digest, reason]);
  if (row === undefined) return { error: reason, saysLess: () => false };
  const what = row.decoding ? 'could not be decoded' : `could not be analysed (${row.analysis})`;
  const [start, cause] = [sourceError(row.uri, ''), `${what}: ${reason.slice(0, REASON_PREFIX_LENGTH)}`];
  const extent = extentOf(row.interval);
  const where = placeOf(extent, row);
  const isOfSound = extent.kind === 'audio';
  return {
    error: sourceError(row.uri, `${where}${what}: ${reason}`),
    saysLess: (known) =>
      extent.kind !== 'image' &&
      known.startsWith(start) &&
      known.includes(cause) &&
      isInStretch(Number.parseFloat(known.slice(start.length)), row) &&
      known.includes(OF_SOUND) === isOfSound,
  };
}

/** True when an interval that begins at a time is of the stretch of the lost chunk, or the source is no live stream. */
function isInStretch(seconds: number, { stretch, facts }: LostChunk): boolean {
  if (stretch === null) return true;
  const begins = lostInterval(extentOf(stretch), facts)?.seconds?.[0];
  // Errors name tenths of seconds.
  return begins !== undefined && seconds >= begins - 0.05;
}

/** SQL: the source `s` is a live stream. */
const IS_LIVE = `coalesce((s.facts ->> 'live')::boolean, false)`;
/** SQL: position of the first chunk of the stretch of the chunk `c`. */
const FIRST = `c.position / ${STRETCH} * ${STRETCH}`;

/** The chunk is recorded as failed by then. A chunk that could not be decoded is lost for all analyses. */
const LOST = `
  SELECT s.uri, s.facts, c.source_end - c.source_start AS sources, c.interval, c.state = 'requested' AS decoding,
         coalesce(a.analysis, $3) AS analysis,
         (SELECT coalesce(jsonb_agg(o.interval ORDER BY o.position), '[]') FROM chunks o
           WHERE o.job_id = $2 AND o.source_start = c.source_start
             AND (NOT ${IS_LIVE} OR o.position BETWEEN ${FIRST} AND ${FIRST} + ${STRETCH - 1}) AND jsonb_typeof(o.interval) = 'object'
               AND o.interval ->> 'kind' IS NOT DISTINCT FROM c.interval ->> 'kind'
             AND (o.id = c.id OR EXISTS (
               SELECT 1 FROM chunk_analyses f WHERE f.chunk_id = o.id AND f.state = 'failed' AND f.error = $4
                  AND (c.state = 'requested' OR f.digest = $3)))) AS intervals,
         CASE WHEN ${IS_LIVE} THEN (
           SELECT t.interval FROM chunks t
            WHERE t.job_id = $2 AND t.source_start = c.source_start AND t.position BETWEEN ${FIRST} AND c.position
              AND t.interval ->> 'kind' IS NOT DISTINCT FROM c.interval ->> 'kind'
            ORDER BY t.position LIMIT 1) END AS stretch
    FROM chunks c JOIN job_sources s ON s.job_id = c.job_id AND s.index = c.source_start
    LEFT JOIN job_analyses a ON a.job_id = c.job_id AND a.digest = $3
   WHERE c.id = $1 AND c.job_id = $2`;

const OF_SOUND = 's of sound';

/** Names the pictures, page or intervals, with a space after them; '' for a single picture. */
function placeOf(extent: Extent, row: LostChunk): string {
  switch (extent.kind) {
    case 'image':
      if (extent.page !== undefined) return `page ${extent.page + 1} `;
      return row.sources === 1 ? '' : `and the ${row.sources - 1} pictures after it `;
    case 'video':
    case 'audio':
      return intervalsText(row);
  }
}

/** An interval of a source in units of its kind: frames, or milliseconds. */
interface LostInterval {
  start: number;
  end: number;
  /** Seconds of both ends; null where only frames are known. */
  seconds: [start: number, end: number] | null;
  unit: string;
}

/** Merges adjacent chunks to intervals and names these. */
function intervalsText({ facts, intervals }: LostChunk): string {
  const merged: LostInterval[] = [];
  const lost = intervals.flatMap((interval) => lostInterval(extentOf(interval), facts) ?? []);
  for (const next of lost.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || next.start > last.end) merged.push(next);
    else {
      const seconds: LostInterval['seconds'] = last.seconds && next.seconds && [last.seconds[0], next.seconds[1]];
      merged[merged.length - 1] = { ...last, end: next.end, seconds };
    }
  }
  const shown = merged.slice(0, MAX_INTERVALS).map(intervalText);
  const more = merged.length - shown.length;
  const all = more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
  return intervals.length === 1 ? `${all} ` : `${all} (${intervals.length} chunks) `;
}

function lostInterval(extent: Extent, facts: MediaFacts | null): LostInterval | null {
  switch (extent.kind) {
    case 'image':
      return null;
    case 'video': {
      const { frameStart: start, frameEnd: end, ptsStart, ptsEnd } = extent.interval;
      if (facts?.kind !== 'video') return { start, end, seconds: null, unit: 's' };
      const { startPts, timeBase } = facts;
      const second = (pts: number): number => ((pts - startPts) * timeBase.num) / timeBase.den;
      return { start, end, seconds: [second(ptsStart), second(ptsEnd)], unit: 's' };
    }
    case 'audio': {
      const { startMs: start, endMs: end } = extent.interval;
      return { start, end, seconds: [start / 1000, end / 1000], unit: OF_SOUND };
    }
  }
}

function intervalText({ start, end, seconds, unit }: LostInterval): string {
  if (seconds === null) return `frames ${start} to ${end - 1}`;
  return `${seconds[0].toFixed(1)}–${seconds[1].toFixed(1)} ${unit}`;
}

/** SQL: the analysis under the alias is one of the module `m`. */
const ITS_OWN = (alias: string) => `${alias}.digest IN (SELECT value FROM jsonb_each_text(m.analyses))`;

/** Returns the modules of a job that lost every chunk, each with the reason of the first. */
export async function modulesWithNothingLeft(
  manager: EntityManager,
  jobId: string,
  moduleIds: string[],
): Promise<Map<string, string>> {
  const rows: { module_id: string; reason: string }[] = await manager.query(
    `SELECT f.module_id, (array_agg(lost.error ORDER BY f.source_index, chunk.place))[1] AS reason
       FROM folds f
       JOIN job_modules m ON m.job_id = f.job_id AND m.module_id = f.module_id
       CROSS JOIN LATERAL (
         SELECT id::uuid, place FROM jsonb_array_elements_text(f.chunk_ids) WITH ORDINALITY AS listed (id, place)
          WHERE f.next_live IS NULL
         UNION ALL
         SELECT c.id, c.position FROM chunks c
          WHERE f.next_live IS NOT NULL AND c.job_id = f.job_id AND c.source_start = f.source_index
            AND EXISTS (SELECT 1 FROM chunk_analyses o WHERE o.chunk_id = c.id AND ${ITS_OWN('o')})) chunk
       LEFT JOIN LATERAL (
         SELECT a.error FROM chunk_analyses a
          WHERE a.chunk_id = chunk.id AND a.state = 'failed' AND ${ITS_OWN('a')} LIMIT 1) lost ON true
      WHERE f.job_id = $1 AND f.module_id = ANY($2::text[])
        AND EXISTS (SELECT 1 FROM chunk_analyses a WHERE a.job_id = $1 AND a.state = 'failed')
      GROUP BY 1 HAVING bool_and(lost.error IS NOT NULL)`,
    [jobId, moduleIds],
  );
  return new Map(rows.map(({ module_id, reason }) => [module_id, reason]));
}
