import type { JobState, StreamGap } from '@adit/contracts';
import type { DataSource } from 'typeorm';
import { presentGap } from './held-stream.js';

/** How the live stream of a job does, without what its job says. */
export interface StreamHealth {
  jobId: string;
  reading: 'waiting' | 'reading' | 'ended';
  /** Wall clock of stream time 0; null before the first picture. */
  zeroAt: Date | null;
  /** Seconds of stream time that were handed to the analysis. */
  position: number;
  /** Seconds behind the wall clock; null before the first picture and after the end. */
  lag: number | null;
  /** Decoded chunks that are being analysed. */
  waiting: number;
  frames: number;
  gapCount: number;
  gapSeconds: number;
  lastGap: StreamGap | null;
  state: JobState;
  segmentCount: number;
  isRecorded: boolean;
}

interface Row extends Omit<StreamHealth, 'lastGap'> {
  lastGap: Parameters<typeof presentGap>[0] | null;
}

/** The streams of these jobs, by job; a job without one is missing. */
export async function streamHealth(
  db: Pick<DataSource, 'query'>,
  jobIds: readonly string[],
): Promise<Map<string, StreamHealth>> {
  if (jobIds.length === 0) return new Map();
  const rows: Row[] = await db.query(HEALTH, [jobIds]);
  return new Map(
    rows.map(({ lastGap, ...row }) => [
      row.jobId,
      { ...row, lastGap: lastGap === null ? null : presentGap(dated(lastGap)) },
    ]),
  );
}

/** JSON has no dates. */
function dated(gap: NonNullable<Row['lastGap']>): NonNullable<Row['lastGap']> {
  const at = (time: Date | null): Date | null => (time === null ? null : new Date(time));
  return { ...gap, timeFrom: at(gap.timeFrom), timeTo: at(gap.timeTo) };
}

const HEALTH = `
  SELECT s.job_id AS "jobId", j.state, j.segment_count AS "segmentCount", j.recorded AS "isRecorded", s.zero_at AS "zeroAt",
         CASE WHEN s.state NOT IN ('waiting', 'processing') THEN 'ended'
              WHEN s.state = 'processing' AND s.lease_until > now() THEN 'reading' ELSE 'waiting' END AS reading,
         s.last_us / 1e6::float8 AS position, s.frames::int AS frames,
         CASE WHEN s.state IN ('waiting', 'processing') AND s.zero_at IS NOT NULL
              THEN greatest(0, extract(epoch FROM now() - s.zero_at)::float8 - s.last_us / 1e6::float8) END AS lag,
         (SELECT count(*)::int FROM chunks c WHERE c.job_id = s.job_id AND c.state IN ('requested', 'decoded')) AS waiting,
         g.count AS "gapCount", g.seconds AS "gapSeconds",
         (SELECT jsonb_build_object('seq', l.seq, 'fromUs', l.from_us, 'toUs', l.to_us, 'timeFrom', l.time_from,
                                    'timeTo', l.time_to, 'reason', l.reason)
            FROM stream_gaps l WHERE l.job_id = s.job_id ORDER BY l.seq DESC LIMIT 1) AS "lastGap"
    FROM streams s JOIN jobs j ON j.id = s.job_id,
         LATERAL (SELECT count(*)::int AS count, coalesce(sum(to_us - from_us) / 1e6, 0)::float8 AS seconds
                    FROM stream_gaps WHERE job_id = s.job_id) AS g
   WHERE s.job_id = ANY($1::uuid[])`;
