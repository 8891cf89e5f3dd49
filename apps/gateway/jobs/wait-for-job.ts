import { AditError, isTerminal } from '@adit/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JobReader } from './job-reader.js';
import { JobSignals } from './job-signals.js';

const MAX_SECONDS = 60;
const ENDS = new Set(['job.on_completed', 'job.on_failed', 'job.on_stopped']);
/** In case a signal was lost. */
const POLL_MS = 5_000;

/** The reply waits until the job has ended, as `preferredWait` reads it from the request. */
@Injectable()
export class WaitForJob {
  constructor(
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(JobSignals) private readonly signals: JobSignals,
  ) {}

  /** Returns when the job has ended, the `seconds` are over or the client has gone; false at once when nobody asked to wait. */
  async asPreferred(seconds: number | null, reply: FastifyReply, workspaceId: string, jobId: string): Promise<boolean> {
    if (seconds === null) return false;
    reply.header('preference-applied', `wait=${seconds}`);
    const gone = goneSignal(reply);
    const end = Date.now() + seconds * 1000;
    const watch = this.signals.watch(jobId, (event) => ENDS.has(event));
    try {
      while (!gone.aborted && !this.signals.closed.aborted && Date.now() < end) {
        if (isTerminal((await this.jobs.row(workspaceId, jobId)).state)) break;
        await watch.next(Math.min(POLL_MS, end - Date.now()), gone);
      }
    } finally {
      watch.close();
    }
    return true;
  }
}

/**
 * Seconds that a request asks to wait by `Prefer: wait=N` (RFC 7240), or null without the preference. More than 60 is 60; what is no
 * number is VALIDATION, so it is read before anything is done.
 */
export function preferredWait({ headers: { prefer: header } }: FastifyRequest): number | null {
  const preferences = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
  const wait = preferences.map((text) => text.split(';')[0]?.trim() ?? '').find((text) => /^wait\b/i.test(text));
  if (wait === undefined) return null;
  const seconds = /^wait\s*=\s*"?(\d{1,9})"?$/i.exec(wait)?.[1];
  if (seconds === undefined) throw new AditError('VALIDATION', 'Write the preference as Prefer: wait=SECONDS.');
  return Math.min(Number(seconds), MAX_SECONDS);
}

/** Aborts when the client closes the connection before the reply has ended. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
