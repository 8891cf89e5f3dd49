import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, errorCode } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { Client } from 'minio';
import type { MinioConfig } from '../config.js';
import type { MinioConnection } from './minio-client.js';
import { objectError } from './minio-errors.js';
import { md5Header } from './minio-xml.js';

const log = createLogger('objects');
const RETRY_MS = 500;
const RULE = 'adit-incomplete-uploads';

/**
 * Waits for the server, and makes the bucket and its lifecycle rule unless told not to. Any number of processes may do so at
 * once. Throws UNAVAILABLE when the server stays away, VALIDATION when it refuses the keys or the bucket is not there.
 */
export async function prepareBucket({ client, place }: MinioConnection, config: MinioConfig): Promise<void> {
  const { bucket, manageBucket = true, connectSeconds = 60 } = config;
  const deadline = Date.now() + connectSeconds * 1000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (await bucketIsThere(client, bucket)) break;
      if (!manageBucket) {
        throw new AditError(
          'VALIDATION',
          `The object store at ${place} has no bucket ${bucket}: create it (S3_BUCKET).`,
        );
      }
      await makeBucket(client, bucket);
      break;
    } catch (reason) {
      const error = objectError(reason, place);
      if (isRefusal(reason) || isRefusal(error.cause))
        throw new AditError('VALIDATION', error.message, { cause: reason });
      const left = deadline - Date.now();
      if (error.code !== 'UNAVAILABLE' || left <= 0) throw error;
      if (attempt === 1) log.warn({ err: error }, `waiting for the object store at ${place}`);
      await sleep(Math.min(RETRY_MS, left));
    }
  }
  if (manageBucket) await expireIncompleteUploads(client, bucket);
}

/** By a listing, since the answer to HEAD has no body to say what is wrong with the keys. */
async function bucketIsThere(client: Client, bucketName: string): Promise<boolean> {
  try {
    const response = await client.makeRequestAsync({ method: 'GET', bucketName, query: 'list-type=2&max-keys=1' });
    response.resume();
    return true;
  } catch (error) {
    if (errorCode(error) === 'NoSuchBucket') return false;
    throw error;
  }
}

async function makeBucket(client: Client, bucket: string): Promise<void> {
  try {
    await client.makeBucket(bucket);
  } catch (error) {
    // Another process was quicker.
    if (errorCode(error) !== 'BucketAlreadyOwnedByYou') throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return /^(AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|IdentityRefused)$/.test(errorCode(error) ?? '');
}

/**
 * A process that is killed leaves the parts of its uploads behind. AWS keeps them for ever without a rule; MinIO removes
 * them after a day of its own accord (`api.stale_uploads_expiry`). Other rules of the bucket stay. Frame packs need none:
 * they lie under their job, whose owner removes them.
 */
async function expireIncompleteUploads(client: Client, bucket: string): Promise<void> {
  try {
    const rules = await rulesOf(client, bucket);
    if (rules.includes(`<ID>${RULE}</ID>`)) return;
    const abort =
      '<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>';
    const rule = `<Rule><ID>${RULE}</ID><Status>Enabled</Status><Filter><Prefix></Prefix></Filter>${abort}</Rule>`;
    const body = `<LifecycleConfiguration>${rules}${rule}</LifecycleConfiguration>`;
    const put = { method: 'PUT', bucketName: bucket, query: 'lifecycle', headers: md5Header(body) };
    await client.makeRequestAsyncOmit(put, body);
  } catch (error) {
    log.debug({ err: error }, 'the object store takes no rule for incomplete uploads; it has to remove them itself');
  }
}

/** Returns the bucket's rules verbatim: they are written back to the letter. */
async function rulesOf(client: Client, bucketName: string): Promise<string> {
  try {
    const answer = await text(await client.makeRequestAsync({ method: 'GET', bucketName, query: 'lifecycle' }));
    return (answer.match(/<Rule>.*?<\/Rule>/gs) ?? []).join('');
  } catch (error) {
    if (errorCode(error) === 'NoSuchLifecycleConfiguration') return '';
    throw error;
  }
}
