import { AditError, conformOf, parseTimecode, type JobRequest } from '@adit/contracts';

/** Rates that drop-frame timecode is defined for. */
const DROPPING: readonly number[] = [29.97, 59.94];

/** Checks what a job says of the master of its source. Throws VALIDATION with a pointer to what cannot be. */
export function checkConform(request: JobRequest): void {
  const conform = conformOf(request);
  if (conform === null) return;
  const [name = ''] = Object.keys(conform);
  if (request.sources.length > 1) {
    throw refusal(
      name,
      `${name} is said of one source, and the job has ${request.sources.length}: post a job for each.`,
    );
  }
  const { start_timecode: start, timecode_rate: rate } = conform;
  if (rate !== undefined && start === undefined) {
    throw refusal('timecode_rate', 'timecode_rate says what start_timecode counts: give that, too.');
  }
  if (start === undefined || rate === undefined) return;
  const dropFrame = start.includes(';');
  if (dropFrame && !DROPPING.includes(rate)) {
    throw refusal('start_timecode', `${start} is drop-frame, which is defined at 29.97 and 59.94: write a colon.`);
  }
  try {
    parseTimecode(start, { nominal: Math.round(rate), dropFrame });
  } catch (error) {
    throw refusal('start_timecode', AditError.from(error).message);
  }
}

function refusal(name: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer: `/${name}`, code: 'invalid', message }] });
}
