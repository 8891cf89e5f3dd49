import { zipOf } from '@adit/testing';
import { expect } from '@jest/globals';
import { archiveSource } from '../archive-source.js';
import { StoredZip } from '../stored-zip.js';

/** Text, or a picture, which is not read here. */
export type Files = Record<string, unknown>;

export const PICTURE = Buffer.from('a picture');

export function zipped(files: Files, compress = true): Buffer {
  const bytesOf = (content: unknown): Buffer =>
    Buffer.isBuffer(content) ? content : Buffer.from(typeof content === 'string' ? content : json(content));
  return zipOf(
    Object.entries(files).map(([path, content]) => [path, bytesOf(content)]),
    { compress },
  );
}

export const json = (value: unknown): string => JSON.stringify(value);

/** The same files in another folder. */
export const within = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));

export const pictures = (...paths: string[]): Files => Object.fromEntries(paths.map((path) => [path, PICTURE]));

export function opened(bytes: Buffer): Promise<StoredZip> {
  const read = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end + 1));
  return StoredZip.open(read, bytes.length);
}

/** Returns the class of each imported file, or its fault; and classes without a picture. */
export async function taken(files: Files | Buffer): Promise<Record<string, string>> {
  const source = await archiveSource(() => opened(Buffer.isBuffer(files) ? files : zipped(files)), Infinity);
  const said: Record<string, string> = {};
  for await (const { name, what } of source.items(null)) {
    said[name] = 'fault' in what ? `! ${what.fault.code}` : what.class.label;
  }
  expect(source.files).toBe(Object.keys(said).length);
  for (const { label } of source.classes) said[label] ??= 'class';
  return said;
}

export async function refusal(files: Files | Buffer): Promise<string> {
  try {
    return `it was taken: ${json(await taken(files))}`;
  } catch (error) {
    return String(error);
  }
}
