import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AditError } from '@adit/contracts';
import type { ObjectStore } from '@adit/objects';
import { findHeader, segmentsWithin, type PlacedSegment } from '@adit/streams';
import type { EntityManager } from 'typeorm';

/** A part of a recording as a film of its own. */
export interface RecordedPart {
  path: string;
  /** Seconds of the stream at its first picture. */
  start: number;
}

/**
 * Writes the part of a job's recording that shows a time of its stream to a file below `directory`. Throws NOT_FOUND where that
 * time is not kept, or not without a break.
 */
export async function writeRecordedPart(
  db: Pick<EntityManager, 'query'>,
  objects: ObjectStore,
  jobId: string,
  { from, to, directory, signal }: { from: number; to: number; directory: string; signal: AbortSignal },
): Promise<RecordedPart> {
  const segments = await segmentsWithin(db, jobId, { fromUs: from * 1e6, toUs: to * 1e6 });
  const [first] = segments;
  if (first === undefined)
    throw new AditError('NOT_FOUND', 'This time of the stream is not recorded, or not any more.');
  if (isBroken(segments)) {
    throw new AditError('NOT_FOUND', 'The stream broke off within this time: its recording has no clip of it.');
  }
  const header = await findHeader(db, jobId, first.header);
  if (header === null) throw new AditError('NOT_FOUND', 'This time of the stream is not recorded any more.');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'recording');
  await pipeline(Readable.from(bytesOf(objects, header, segments)), createWriteStream(path, { mode: 0o600 }), {
    signal,
  });
  return { path, start: first.fromUs / 1e6 };
}

/** Tests whether what comes behind the first segment does not go on from it. */
function isBroken([first, ...others]: readonly PlacedSegment[]): boolean {
  return others.some(({ discontinuity, header }) => discontinuity || header !== first?.header);
}

async function* bytesOf(
  objects: ObjectStore,
  header: Buffer,
  segments: readonly PlacedSegment[],
): AsyncGenerator<unknown> {
  yield header;
  for (const { objectKey } of segments) yield* await objects.get(objectKey);
}
