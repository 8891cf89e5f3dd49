import { createHash } from 'node:crypto';
import { AditError } from '@adit/contracts';
import type { ForeignObject } from '@adit/objects';

/** A file of a version, or of the model for all its versions. */
export interface SyncedFile extends ForeignObject {
  /** Below the model's folder: `config.pbtxt`, `1/model.onnx`. Plain words, so that a file may be called so. */
  path: string;
}

/** A version as it lies in a bucket in Triton's layout. */
export interface ListedVersion {
  name: string;
  version: number;
  files: SyncedFile[];
  /** Size of all files together. */
  bytes: number;
  /** Another one when a file of it is another. */
  fingerprint: string;
  /** When the last of its files was written. */
  modified: Date;
}

export interface Listing {
  versions: ListedVersion[];
  /** Objects that belong to no version, and some of their names. */
  strange: { count: number; names: string[] };
}

export interface ListingLimits {
  maxObjects: number;
  maxSeconds: number;
}

/** A name that a file may have here, and that means the same everywhere. */
const PLAIN = /^\w[\w .+@-]{0,120}$/;
/** Allowed names of models. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const VERSION = /^[1-9]\d{0,8}$/;
const MAX_NAMES = 5;

/**
 * Lists a bucket by model and version. Throws TOO_LARGE for more objects, UNAVAILABLE when it takes longer than the
 * limits allow.
 */
export async function readListing(objects: AsyncIterable<ForeignObject>, limits: ListingLimits): Promise<Listing> {
  const models = new Map<string, Map<number | null, SyncedFile[]>>();
  const strange: Listing['strange'] = { count: 0, names: [] };
  const end = performance.now() + limits.maxSeconds * 1000;
  let count = 0;
  for await (const object of objects) {
    count += 1;
    if (count > limits.maxObjects) throw tooMany(limits);
    if (performance.now() > end) throw tooSlow(limits);
    // A bucket browser makes such an object for an empty folder.
    if (object.name.endsWith('/') && object.size === 0) continue;
    const place = placeOf(object.name);
    if (place === null) {
      strange.count += 1;
      if (strange.names.length < MAX_NAMES) strange.names.push(object.name.slice(0, 200));
      continue;
    }
    const versions = models.get(place.name) ?? new Map<number | null, SyncedFile[]>();
    models.set(place.name, versions);
    const files = versions.get(place.version) ?? [];
    versions.set(place.version, files);
    files.push({ ...object, path: place.path });
  }
  const versions = [...models].flatMap(([name, files]) =>
    [...files].flatMap(([version, own]) =>
      version === null ? [] : [versionOf(name, version, [...(files.get(null) ?? []), ...own])],
    ),
  );
  versions.sort((a, b) => (a.name === b.name ? a.version - b.version : a.name < b.name ? -1 : 1));
  return { versions, strange };
}

/** Null for what is neither `<name>/<file>` nor `<name>/<version>/<file>`. */
function placeOf(object: string): { name: string; version: number | null; path: string } | null {
  const [name = '', ...path] = object.split('/');
  if (!NAME.test(name) || !path.every((part) => PLAIN.test(part))) return null;
  const [first = '', second] = path;
  if (path.length === 1) return VERSION.test(first) ? null : { name, version: null, path: first };
  if (path.length === 2 && second !== undefined && VERSION.test(first))
    return { name, version: Number(first), path: `${first}/${second}` };
  return null;
}

function versionOf(name: string, version: number, files: SyncedFile[]): ListedVersion {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash('sha256');
  for (const { path, size, tag } of sorted) hash.update(`${JSON.stringify([path, size, tag])}\n`);
  return {
    name,
    version,
    files: sorted,
    bytes: sorted.reduce((sum, { size }) => sum + size, 0),
    fingerprint: hash.digest('hex'),
    modified: new Date(Math.max(...sorted.map(({ modified }) => modified.getTime()))),
  };
}

function tooMany({ maxObjects }: ListingLimits): AditError {
  return new AditError('TOO_LARGE', `It holds more than ${maxObjects} objects: name the folder of the models alone.`);
}

function tooSlow({ maxSeconds }: ListingLimits): AditError {
  return new AditError('UNAVAILABLE', `Listing it takes longer than ${maxSeconds} s.`);
}
