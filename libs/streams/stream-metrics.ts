import { STREAMS } from '@adit/leases';
import type { DataSource } from 'typeorm';
import type { StreamSettings } from './settings.js';
import { streams, streamsToRead, streamsWaiting } from './metrics.js';

/** Adds gauges of streams, read from the database when metrics are scraped. Several calls register them once. */
export function observeStreams(
  db: Pick<DataSource, 'query'>,
  { streamsPerWorkspace: limit }: Pick<StreamSettings, 'streamsPerWorkspace'>,
): void {
  streams(async (gauge) => {
    const row = await streamCounts(db, limit);
    gauge.set({ state: 'processing' }, row.running);
    gauge.set({ state: 'waiting' }, row.startable);
    gauge.set({ state: 'held_back' }, row.waiting - row.startable);
  });
  streamsToRead(async (gauge) => {
    const row = await streamCounts(db, limit);
    gauge.set(row.running + row.startable);
  });
  streamsWaiting(async (gauge) => {
    gauge.set(Math.max(0, (await streamCounts(db, limit)).seconds));
  });
}

/** Open streams of all workspaces, each of which may have `limit` read at a time. */
export async function streamCounts(db: Pick<DataSource, 'query'>, limit: number): Promise<StreamCounts> {
  const [row]: [StreamCounts] = await db.query(COUNT, [limit]);
  return row;
}

export interface StreamCounts {
  running: number;
  waiting: number;
  /** Those of `waiting` that the limit of their workspace does not hold back. */
  startable: number;
  /** Age of the one that waits longest. */
  seconds: number;
}

/** SQL: streams by workspace over the partial index of open ones; `$1` is the limit of a workspace. */
const COUNT = `
  SELECT coalesce(sum(running), 0)::int AS running, coalesce(sum(waiting), 0)::int AS waiting,
         coalesce(sum(least(waiting, greatest($1 - running, 0))), 0)::int AS startable,
         coalesce(max(seconds) FILTER (WHERE running < $1), 0)::float8 AS seconds
    FROM (
      SELECT count(*) FILTER (WHERE state = 'processing' AND lease_until > now()) AS running,
             count(*) FILTER (WHERE ${STREAMS.free}) AS waiting,
             max(extract(epoch FROM now() - coalesce(lease_until, time_created))) FILTER (WHERE ${STREAMS.free}) AS seconds
        FROM streams WHERE ${STREAMS.open} AND ${STREAMS.live} GROUP BY workspace_id) AS workspaces`;
