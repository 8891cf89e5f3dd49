/** @needs ffmpeg */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AditError } from '@adit/contracts';
import { ffmpegProgram, numberedFilm, transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeMedia, type FetchedSource } from '../index.js';
import { onlyProgramme } from './only-programme.js';
import { PACKET_BYTES } from './packets.js';

const run = promisify(execFile);
const SECONDS = 4;

/** Inputs of two programmes, and what tells ffmpeg to write them as 101 and 202. */
const TWO = [
  ...['-f', 'lavfi', '-i', numberedFilm({ seconds: SECONDS }), '-f', 'lavfi', '-i', `sine=440:d=${SECONDS}`],
  ...['-f', 'lavfi', '-i', `testsrc=size=160x120:rate=30:d=${SECONDS}`, '-f', 'lavfi', '-i', `sine=880:d=${SECONDS}`],
  ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-c:v', 'libx264', '-g', '25', '-pix_fmt', 'yuv420p'],
  ...['-c:a', 'mp2', '-program', 'program_num=101:st=0:st=1', '-program', 'program_num=202:st=2:st=3'],
];

let folder: string;
let two: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-programmes-'));
  two = await transcode('two-programmes.ts', TWO);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function select(path: string, programme: number): Promise<FetchedSource> {
  const own = join(folder, `whole-${Math.random()}`);
  await copyFile(path, own);
  const bytes = await readFile(own);
  const whole = { path: own, size: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') };
  return onlyProgramme(whole, programme, {
    directory: folder,
    maxBytes: 1e9,
    timeoutSeconds: 60,
    idleTimeoutSeconds: 10,
  });
}

async function failure(path: string, programme: number): Promise<AditError> {
  const error: unknown = await select(path, programme).then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AditError)) throw new Error(`not ours: ${String(error)}`);
  // Nothing stays behind.
  expect(await readdir(folder)).toEqual([]);
  return error;
}

/** Packets of each stream as ffmpeg reads them: their times and what is in them. */
async function packets(path: string, map: string): Promise<string[]> {
  const args = ['-v', 'error', '-copyts', '-i', path, '-map', map, '-c', 'copy', '-f', 'framemd5', '-'];
  const { stdout } = await run(ffmpegProgram(), args, { maxBuffer: 64 << 20 });
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** A transport stream with `before` in front of each packet and `behind` after it. */
async function wrapped(name: string, before: number, behind: number): Promise<string> {
  const [bytes, path] = [await readFile(two), join(tmpdir(), `${name}-${process.pid}.ts`)];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
    pieces.push(Buffer.alloc(before, 1), bytes.subarray(at, at + PACKET_BYTES), Buffer.alloc(behind, 2));
  }
  await writeFile(path, Buffer.concat(pieces));
  return path;
}

describe('a programme of a transport stream', () => {
  it.each([
    [101, 25 * SECONDS],
    [202, 30 * SECONDS],
  ])('%i has its own pictures and sound, packet by packet', async (programme, totalFrames) => {
    const part = await select(two, programme);
    const { facts } = await probeMedia(part.path);
    expect(facts).toMatchObject({ kind: 'video', totalFrames, audioStreams: [{ stream: 1, codec: 'mp2' }] });
    expect(await packets(part.path, '0')).toEqual(await packets(two, `0:p:${programme}`));
    const bytes = await readFile(part.path);
    expect([part.size, part.digest]).toEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')]);
    expect(part.partOf).toBe(
      createHash('sha256')
        .update(await readFile(two))
        .digest('hex'),
    );
    // The whole file is gone.
    expect(await readdir(folder)).toEqual([part.path.split('/').at(-1)]);
    await rm(part.path);
  });

  it('has always the same digest, which is not that of another programme', async () => {
    const parts = [await select(two, 101), await select(two, 101), await select(two, 202)];
    const [first, again, other] = parts.map(({ digest }) => digest);
    expect([again === first, other === first]).toEqual([true, false]);
    for (const { path } of parts) await rm(path);
  });

  it.each([
    ['a time code in front of each packet', 4, 0],
    ['a checksum behind each packet', 0, 16],
  ])('is read with %s', async (name, before, behind) => {
    const path = await wrapped(`wrapped-${before}`, before, behind);
    const [part, plain] = [await select(path, 202), await select(two, 202)];
    expect([name, part.digest]).toEqual([name, plain.digest]);
    for (const each of [path, part.path, plain.path]) await rm(each);
  });

  it('is read on behind a damaged place', async () => {
    const [bytes, path] = [await readFile(two), join(tmpdir(), `damaged-${process.pid}.ts`)];
    const middle = Math.floor(bytes.length / 2);
    await writeFile(path, Buffer.concat([bytes.subarray(0, middle), Buffer.alloc(1000, 0x55), bytes.subarray(middle)]));
    const [part, plain] = [await select(path, 101), await select(two, 101)];
    // The packet at the place itself is lost.
    expect(plain.size - part.size).toBeLessThanOrEqual(PACKET_BYTES);
    expect((await probeMedia(part.path)).facts).toMatchObject({ kind: 'video' });
    for (const each of [path, part.path, plain.path]) await rm(each);
  });

  it('that is the only one leaves the file as it is', async () => {
    const one = await transcode('one-programme.ts', [
      ...['-f', 'lavfi', '-i', numberedFilm({ seconds: 1 }), '-c:v', 'libx264'],
      ...['-program', 'program_num=7:st=0'],
    ]);
    const part = await select(one, 7);
    expect(part.digest).toBe(
      createHash('sha256')
        .update(await readFile(one))
        .digest('hex'),
    );
    expect(part.partOf).toBeUndefined();
    await rm(part.path);
    expect((await failure(one, 8)).message).toBe('The file has no programme 8; its only one is 7.');
  });

  it('that is not there is told with those that are', async () => {
    const { code, message } = await failure(two, 1);
    expect([code, message]).toEqual(['MEDIA_INVALID', 'The file has no programme 1; it has 101, 202.']);
  });

  it('is asked of transport streams alone', async () => {
    const mp4 = await transcode('plain.mp4', ['-f', 'lavfi', '-i', numberedFilm({ seconds: 1 }), '-c:v', 'libx264']);
    const { code, message } = await failure(mp4, 1);
    expect([code, message]).toEqual(['MEDIA_INVALID', expect.stringContaining('leave it out')]);
  });
});
