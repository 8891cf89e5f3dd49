// What clients do to their jobs while everything breaks: let them be, stop and retry them, delete them, let them expire.
import { setTimeout as sleep } from 'node:timers/promises';
import { openObjectStore } from '@adit/objects';
import { queryDatabase } from '@adit/testing';

/** Deeds with their share of all jobs. */
export const DEEDS = [
  { name: 'nothing', share: 12 },
  { name: 'retry', share: 3 },
  { name: 'delete', share: 3 },
  { name: 'expire', share: 2 },
];
/** Seconds after its end that a job which expires is kept. */
const TTL = 5;
/** The sweeper comes by once a minute. */
const GONE_WITHIN_MS = 300_000;
/** Tables whose rows go with their job. */
const TABLES = ['job_sources', 'job_modules', 'job_analyses', 'chunks', 'chunk_analyses', 'folds', 'segments'];

/**
 * Posts a job and does the deed some milliseconds later; resolves when it has ended or is gone.
 *
 * @returns {Promise<{ kind: object, deed: string, id: string, job: { state: string } }>}
 */
export async function mineAndDo(client, { kind, deed, after, key, webhook, deadline }) {
  const ttl = deed === 'expire' ? { ttl: TTL } : {};
  const { id } = await client.submit({ ...kind.order, ...ttl, webhook }, key);
  if (deed === 'retry') {
    await sleep(after);
    await client.act('POST', `/jobs/${id}/stop/`, `${key}-stop`);
    await client.ended(id, deadline);
    await client.act('POST', `/jobs/${id}/retry/`, `${key}-retry`);
  }
  if (deed === 'delete') {
    await sleep(after);
    await client.act('DELETE', `/jobs/${id}/`, `${key}-delete`);
  }
  return { kind, deed, id, job: await client.ended(id, deadline) };
}

/**
 * What is left of jobs that were deleted or have expired: they answer, or have rows or objects.
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
  const remains = async ({ id, deed }) => {
    const said = [];
    const { status } = await client.probe('GET', `/jobs/${id}/`);
    if (status !== 404) said.push(`answers ${status}`);
    for (const table of TABLES) {
      const [{ count }] = await queryDatabase(
        addresses.DATABASE_URL,
        `SELECT count(*)::int AS count FROM ${table} WHERE job_id = '${id}'`,
      );
      if (count > 0) said.push(`${count} rows of ${table}`);
    }
    for await (const { key } of objects.list(`jobs/${id}/`)) said.push(key);
    return said.length === 0 ? [] : [`${deed} ${id}: ${said.slice(0, 5).join(', ')}`];
  };
  const all = async (left) =>
    (await Promise.all(left.map(async (job) => [job, await remains(job)]))).filter(([, said]) => said.length > 0);
  let left = await all(jobs.filter(({ deed }) => deed === 'delete' || deed === 'expire'));
  for (const end = Date.now() + GONE_WITHIN_MS; left.length > 0 && Date.now() < end; await sleep(2_000)) {
    left = await all(left.map(([job]) => job));
  }
  objects.close?.();
  return left.flatMap(([, said]) => said);
}
