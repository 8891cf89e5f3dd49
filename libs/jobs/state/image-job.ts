import type { LockedJob } from './locked-job.js';

/** Checks that a job is one of images or one of films: a source of the other kind ends it. */
export async function failMixed(locked: LockedJob): Promise<void> {
  await locked.addErrors(['Images, PDF documents and video are mixed; post one job for each kind.']);
  await locked.apply({ kind: 'failed' });
}
