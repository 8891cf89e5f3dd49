// Searches for what jobs found: nothing of deleted ones, and everything of completed ones.
import { setTimeout as sleep } from 'node:timers/promises';

/** Limit until everything is found of jobs that have ended; a segment can be found after about a second. */
const FOUND_WITHIN_MS = 300_000;

/** What a search finds of a job: a key for each result. */
export async function foundOf(client, id) {
  const found = new Set();
  for (let next = `/search/?job_id=${id}&limit=100&cursor=`; next !== null;) {
    const page = await client.get(next);
    for (const result of page.data) found.add(keyOf(result));
    next = page.next;
  }
  return found;
}

/**
 * Segments of completed jobs that a search does not find, though it finds the same ones of an undisturbed job of their kind: not
 * everything that modules say can be searched for.
 *
 * @returns {Promise<string[]>}
 */
export async function unfoundOf(client, jobs, undisturbed) {
  const references = new Map();
  const missing = async ({ kind, id }) => {
    const [reference] = [undisturbed.get(kind.name)].flat();
    if (!references.has(kind.name)) references.set(kind.name, await foundOf(client, reference.id));
    const searchable = references.get(kind.name);
    const { lines } = await client.results(id);
    const found = await foundOf(client, id);
    return lines.map((line) => keyOf(JSON.parse(line))).filter((key) => searchable.has(key) && !found.has(key));
  };
  const faults = [];
  for (const job of jobs) {
    let left = await missing(job);
    for (const end = Date.now() + FOUND_WITHIN_MS; left.length > 0 && Date.now() < end; left = await missing(job)) {
      await sleep(1_000);
    }
    if (left.length > 0)
      faults.push(`${job.kind.name} ${job.id}: a search does not find ${left.length}, such as ${left[0]}`);
  }
  return faults;
}

function keyOf({ source, module, time_start: start, time_end: end }) {
  return `${source} ${module} ${start}-${end}`;
}
