// Actions of clients on their jobs while everything breaks: nothing, stop and retry, delete, expire.
import { setTimeout as sleep } from 'node:timers/promises';
import { openObjectStore } from '@adit/objects';
import { queryDatabase } from '@adit/testing';
import { foundOf } from './searches.mjs';

/** Actions with their share of all jobs. */
export const ACTIONS = [
  { name: 'nothing', share: 12 },
  { name: 'retry', share: 3 },
  { name: 'delete', share: 3 },
  { name: 'expire', share: 2 },
];
/** Seconds that an expiring job is kept after its end. */
const TTL = 5;
/** Limit until such a job is gone; the sweeper runs once a minute. */
const GONE_WITHIN_MS = 300_000;
/** Tables whose rows are deleted with their job. */
const TABLES = ['job_sources', 'job_modules', 'job_analyses', 'chunks', 'chunk_analyses', 'folds', 'segments'];

/**
 * Posts a job and performs the action after some milliseconds. Resolves when the job has ended or is gone. `isSought`: a search
 * follows its deletion, and `found` is how much that still finds.
 *
 * @returns {Promise<{ kind: object, action: string, id: string, isSought: boolean, found: number, job: { state: string } }>}
 */
export async function mineAndAct(client, { kind, action, after, isSought, key, webhook, deadline }) {
  const ttl = action === 'expire' ? { ttl: TTL } : {};
  const { id } = await client.submit({ ...kind.order, ...ttl, webhook }, key);
  if (action === 'retry') {
    await sleep(after);
    await client.act('POST', `/jobs/${id}/stop/`, `${key}-stop`);
    await client.ended(id, deadline);
    await client.act('POST', `/jobs/${id}/retry/`, `${key}-retry`);
  }
  let found = 0;
  if (action === 'delete') {
    await sleep(after);
    await client.act('DELETE', `/jobs/${id}/`, `${key}-delete`);
    if (isSought) found = (await foundOf(client, id)).size;
  }
  return { kind, action, id, isSought, found, job: await client.ended(id, deadline) };
}

/**
 * Finds what is left of deleted and expired jobs: an answer of the API, rows or objects.
 *
 * @returns {Promise<string[]>}
 */
export async function remainsOf(client, jobs, addresses) {
  const objects = await openObjectStore({
    driver: 'minio',
    endpoint: addresses.S3_ENDPOINT,
    accessKey: addresses.S3_ACCESS_KEY,
    secretKey: addresses.S3_SECRET_KEY,
    bucket: addresses.S3_BUCKET ?? 'adit',
    region: addresses.S3_REGION ?? 'us-east-1',
    prefix: addresses.S3_PREFIX,
  });
  const remains = async ({ id, action, isSought, found }) => {
    const said = [];
    const { status } = await client.probe('GET', `/jobs/${id}/`);
    if (status !== 404) said.push(`answers ${status}`);
    if (found > 0) said.push(`${found} results of a search after the deletion was answered`);
    if (isSought && (await foundOf(client, id)).size > 0) said.push('results of a search');
    for (const table of TABLES) {
      const [{ count }] = await queryDatabase(
        addresses.DATABASE_URL,
        `SELECT count(*)::int AS count FROM ${table} WHERE job_id = '${id}'`,
      );
      if (count > 0) said.push(`${count} rows of ${table}`);
    }
    for await (const { key } of objects.list(`jobs/${id}/`)) said.push(key);
    return said.length === 0 ? [] : [`${action} ${id}: ${said.slice(0, 5).join(', ')}`];
  };
  const all = async (left) =>
    (await Promise.all(left.map(async (job) => [job, await remains(job)]))).filter(([, said]) => said.length > 0);
  let left = await all(jobs.filter(({ action }) => action === 'delete' || action === 'expire'));
  for (const end = Date.now() + GONE_WITHIN_MS; left.length > 0 && Date.now() < end; await sleep(2_000)) {
    left = await all(left.map(([job]) => job));
  }
  objects.close?.();
  return left.flatMap(([, said]) => said);
}
