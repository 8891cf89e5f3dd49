import { AditError, type JobRequest, type MediaType } from '@adit/contracts';
import { pointerTo } from '@adit/module-kit';

/** Events of a job and of each of its modules. */
const OF_BOTH = ['on_started', 'on_completed', 'on_failed', 'on_stopped', 'on_detailed_result'];
const OF_JOB = ['on_progress'];
/** Events of live streams, of every module there. */
const OF_STREAMS = ['on_segment_start', 'on_segment_end'];
/** The interface names them with landmarks: there they are accepted for any source. */
const LANDMARKS = 'landmark_recognition';

/** The names of all events that a job of these modules can raise; `posted` as the client names them. */
function eventsOf(posted: readonly string[], isLive: boolean): string[] {
  const ofModules = posted.flatMap((module) =>
    [...OF_BOTH, ...(isLive || module === LANDMARKS ? OF_STREAMS : [])].map((event) => `job.${module}.${event}`),
  );
  const ofJob = [...OF_BOTH, ...OF_JOB, ...(isLive || posted.includes(LANDMARKS) ? OF_STREAMS : [])];
  return [...ofJob.map((event) => `job.${event}`), ...ofModules];
}

/** Throws VALIDATION, with what can be asked for, when a webhook waits for an event that its job will never raise. */
export function checkEvents({ webhook, modules }: Pick<JobRequest, 'webhook' | 'modules'>, mediaType: MediaType): void {
  if (webhook === undefined) return;
  const possible = eventsOf(Object.keys(modules), mediaType === 'videostream');
  const errors = webhook.events.flatMap((event, at) =>
    possible.includes(event)
      ? []
      : [
          {
            pointer: pointerTo('webhook', 'events', at),
            code: 'unknown_event',
            message: `This job never raises the event ${JSON.stringify(event)}.`,
          },
        ],
  );
  if (errors.length === 0) return;
  const named = errors.slice(0, 3).map(({ message }) => message);
  throw new AditError('VALIDATION', `${named.join(' ')} It can raise ${possible.join(', ')}.`, { errors });
}
