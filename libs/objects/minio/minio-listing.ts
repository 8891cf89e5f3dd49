import { text } from 'node:stream/consumers';
import type { Client } from 'minio';
import type { ForeignObject } from '../foreign-objects.js';
import { valueOf, withoutEntities } from './minio-xml.js';
import type { ObjectInfo } from '../port.js';

const PAGE = 1000;

/**
 * Up to 1000 objects whose names begin with `prefix` and come after `after`, in the order of their names. Read here and not
 * by the client, whose parser takes a name like 007 for the number 7.
 */
export async function listPage(
  client: Client,
  bucketName: string,
  prefix: string,
  after: string,
): Promise<ObjectInfo[]> {
  const { entries } = await listed(client, bucketName, { prefix, after });
  return entries.map((entry) => ({
    // Names hold no character that XML would escape: key.ts.
    key: valueOf(entry, 'Key'),
    size: Number(valueOf(entry, 'Size')),
    modified: new Date(valueOf(entry, 'LastModified')),
  }));
}

/** The same of objects whose names may hold anything; the server escapes them, or says that it does not. */
export async function foreignPage(
  client: Client,
  bucketName: string,
  prefix: string,
  after: string,
): Promise<ForeignObject[]> {
  const { entries, isEscaped } = await listed(client, bucketName, { prefix, after }, ['encoding-type=url']);
  const nameOf = (key: string): string =>
    isEscaped ? decodeURIComponent(key.replaceAll('+', ' ')) : withoutEntities(key);
  return entries.map((entry) => ({
    name: nameOf(valueOf(entry, 'Key')),
    size: Number(valueOf(entry, 'Size')),
    tag: valueOf(entry, 'ETag'),
    modified: new Date(valueOf(entry, 'LastModified')),
  }));
}

/** An object, or the mark of its deletion, as a bucket that keeps versions has it. */
export interface ObjectVersion {
  name: string;
  versionId: string;
}

/** The last of a page of versions. */
export type VersionPlace = ObjectVersion;

export interface VersionPage {
  versions: ObjectVersion[];
  /** Behind which the next page begins; null behind the last one. */
  next: VersionPlace | null;
}

/** Up to 1000 versions of objects whose names begin with `prefix`, those of one name newest first. */
export async function versionPage(
  client: Client,
  bucketName: string,
  prefix: string,
  after: VersionPlace | null,
): Promise<VersionPage> {
  const query = [
    'versions',
    `max-keys=${PAGE}`,
    `prefix=${escaped(prefix)}`,
    ...(after === null ? [] : [`key-marker=${escaped(after.name)}`, `version-id-marker=${escaped(after.versionId)}`]),
  ];
  const response = await client.makeRequestAsync({ method: 'GET', bucketName, query: query.sort().join('&') });
  const answer = await text(response);
  const entries = [...answer.matchAll(/<(Version|DeleteMarker)>(.*?)<\/\1>/gs)].map(([, , entry = '']) => entry);
  return {
    versions: entries.map((entry) => ({ name: valueOf(entry, 'Key'), versionId: valueOf(entry, 'VersionId') })),
    next:
      valueOf(answer, 'IsTruncated') === 'true'
        ? { name: valueOf(answer, 'NextKeyMarker'), versionId: valueOf(answer, 'NextVersionIdMarker') }
        : null,
  };
}

async function listed(
  client: Client,
  bucketName: string,
  { prefix, after }: { prefix: string; after: string },
  more: string[] = [],
): Promise<{ entries: string[]; isEscaped: boolean }> {
  const query = [
    'list-type=2',
    `max-keys=${PAGE}`,
    `prefix=${escaped(prefix)}`,
    ...(after === '' ? [] : [`start-after=${escaped(after)}`]),
    ...more,
  ];
  const response = await client.makeRequestAsync({ method: 'GET', bucketName, query: query.sort().join('&') });
  const answer = await text(response);
  const entries = [...answer.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = '']) => entry);
  // Some servers pass over what they were asked, and do not repeat it.
  return { entries, isEscaped: valueOf(answer, 'EncodingType') === 'url' };
}

/** Escapes like the signature; encodeURIComponent leaves some characters that S3 wants escaped. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
