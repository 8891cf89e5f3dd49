import { AditError } from '@adit/contracts';
import { within, type CopyLimits, type FetchedSource } from '../private-file.js';
import { download, type WebOptions } from '../web.js';
import type { WebAnswer } from '../web-client.js';
import { objectAddress, shownObject, type BucketAccess, type BucketObject } from './bucket-object.js';
import { signedHeaders } from './signed-headers.js';

/** Characters of a store's refusal that are read. */
const REFUSAL_LENGTH = 4096;

/**
 * Downloads an object of an S3 store by one signed request, under the rules for web addresses. Errors name it by its s3://
 * address. Throws SOURCE_REFUSED for what the store refuses, SOURCE_UNAVAILABLE where a retry may help.
 */
export function fetchObject(
  object: BucketObject,
  access: BucketAccess,
  policy: WebOptions,
  limits: CopyLimits,
): Promise<FetchedSource> {
  const url = objectAddress(access, object);
  return download(url, policy, limits, {
    shown: shownObject(object),
    headers: signedHeaders(url, access, new Date()),
    // A signature is for one address alone.
    followsRedirects: false,
    check: (name, answer) => checkAnswer(name, answer, limits),
  });
}

/** Throws unless the object is sent. Of a refusal only its code is told: it may repeat what was signed. */
async function checkAnswer(name: string, { status, body }: WebAnswer, limits: CopyLimits): Promise<void> {
  if (status === 200) return;
  const { idleTimeoutSeconds, timeoutSeconds, signal } = limits;
  const code = await within(codeIn(body), idleTimeoutSeconds, Infinity, timeoutSeconds, signal);
  const answer = `HTTP status ${status}${code === null ? '' : `, ${code}`}`;
  if (status >= 500 || status === 429 || status === 408) {
    throw new AditError('SOURCE_UNAVAILABLE', `${name} cannot be fetched: its store answers ${answer} now.`);
  }
  throw new AditError('SOURCE_REFUSED', `The source ${name} is refused: ${reasonOf(status)} (${answer}).`);
}

function reasonOf(status: number): string {
  if (status === 404) return 'its store has no such object';
  if (status === 401 || status === 403) return 'its store does not accept the storage credentials of the bucket for it';
  if (status >= 300 && status < 400) {
    return 'its store redirects elsewhere; check endpoint and region of the storage credentials';
  }
  return 'its store does not send it';
}

/** The error code in a refusal of S3; null without one. */
async function codeIn(body: WebAnswer['body']): Promise<string | null> {
  let text = '';
  for await (const piece of body) {
    text += String(piece);
    if (text.length > REFUSAL_LENGTH) break;
  }
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(text)?.[1] ?? null;
}
