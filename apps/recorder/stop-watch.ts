import { createLogger, pause } from '@adit/runtime';
import type { DataSource } from 'typeorm';

const log = createLogger('recorder');
const PERIOD_MILLISECONDS = 1000;

/** A client has stopped the job: nothing more is read, and what was read is stored. */
export class StopAsked extends Error {
  constructor() {
    super('the stream was stopped');
  }
}

/** Calls `stopped` once a client has stopped the job, which a next part may have replaced meanwhile. Returns then, or when the signal aborts; never throws. */
export async function watchStop(
  db: Pick<DataSource, 'query'>,
  ofJob: () => string,
  { signal, stopped }: { signal: AbortSignal; stopped: () => void },
): Promise<void> {
  while (!signal.aborted) {
    const jobId = ofJob();
    try {
      const asked: unknown[] = await db.query('SELECT 1 FROM jobs WHERE id = $1 AND time_stop_asked IS NOT NULL', [
        jobId,
      ]);
      if (asked.length > 0) return stopped();
    } catch (error) {
      log.debug({ jobId, err: error }, 'whether a live job was stopped cannot be told now');
    }
    await pause(PERIOD_MILLISECONDS, signal).catch(() => undefined);
  }
}
