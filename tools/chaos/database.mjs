// Statements that runs execute beside the processes under test.
import { setTimeout as sleep } from 'node:timers/promises';
import { queryDatabase } from '@adit/testing';

/** Turns the observation cache off: with it, the second photo of a kind would cost nothing and meet no trouble. */
export async function disableObservationCache(url) {
  await queryDatabase(url, 'UPDATE workspaces SET observation_cache = false');
}

/** Counts the rows of the outbox after waiting for two minutes at most until it is empty. */
export async function messagesLeft(url) {
  for (const end = Date.now() + 120_000; ; await sleep(250)) {
    const [{ count }] = await queryDatabase(url, 'SELECT count(*)::int AS count FROM outbox');
    if (count === 0 || Date.now() > end) return count;
  }
}

/** Jobs that no client knows: an unanswered request made one, and so did its repetition. */
export async function unknownJobs(url, clients) {
  const rows = await queryDatabase(url, 'SELECT id FROM jobs');
  return rows
    .filter(({ id }) => !clients.some(({ accepted }) => accepted.has(id)))
    .map(({ id }) => `${id}: a job that no client was told of`);
}
