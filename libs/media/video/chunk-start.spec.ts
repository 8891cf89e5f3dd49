/** @needs ffmpeg */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameInterval, VideoFacts } from '@adit/contracts';
import { cutAt, numberedFilm, readNumber, rgbLuminance, transcode } from '@adit/testing';
import { readHashes } from './counted-frames.js';
import { chunkMemory, decodeInterval, FrameIndex, openFramePackBuffer, planGrid, probeMedia } from '../index.js';

const film = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 45 }), '-pix_fmt', 'yuv420p'];

describe('a film whose pictures are counted', () => {
  let folder: string;
  let bytes: Buffer;
  let facts: VideoFacts;
  let index: FrameIndex;
  let last: FrameInterval;
  /** Bytes of memory requested while probing. */
  const asked: number[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-counted-'));
    const whole = await transcode('counted.mxf', [
      ...film,
      '-c:v',
      'mpeg2video',
      '-b:v',
      '1500k',
      '-g',
      '12',
      '-bf',
      '2',
    ]);
    bytes = cutAt(await readFile(whole), 0.75);
    const probed = await probeMedia(await put('cut.mxf', bytes), {
      directory: folder,
      admit: (memory, work) => {
        asked.push(memory);
        return work();
      },
    });
    facts = probed.facts as VideoFacts;
    index = probed.index as FrameIndex;
    last = planGrid(index).at(-1) as FrameInterval;
  });

  async function put(name: string, content: Buffer): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  /** Frame numbers that the last chunk claims, and those that its pictures show. */
  async function decoded(path: string, by: FrameIndex): Promise<[number[], number[]]> {
    const specs = [{ rate: 5, shorterSide: 'native' as const }];
    const packs = await decodeInterval({ path, facts, index: by, interval: last, specs });
    const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
    const shown = pack.frames.map(async (_, i) => readNumber(rgbLuminance(await pack.picture(i))));
    return [pack.frames.map(({ frame }) => frame), await Promise.all(shown)];
  }

  it('is written to the given folder while it is counted', async () => {
    const directory = join(folder, 'none');
    await expect(probeMedia(join(folder, 'cut.mxf'), { directory })).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('leaves the event loop free while the notes are read', async () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `0, ${at}, ${at}, 1, 1152, ${at.toString(16)}\n`);
    let turns = 0;
    let timer = setImmediate(count);
    function count(): void {
      turns++;
      timer = setImmediate(count);
    }
    const { frames, hashes } = await readHashes(`#format: frame checksums\n${lines.join('')}`);
    clearImmediate(timer);
    expect([frames.length, frames.at(-1), hashes.length, hashes.at(-1)]).toEqual([200_000, 199_999, 200_000, '30d3f']);
    expect(turns).toBeGreaterThan(10);
  });

  /** @hardening media: Damage has a film decoded from its start */
  it('gets a seek table when it is probed', () => {
    expect(index.hints.timing).toBe('counted');
    expect(index.totalFrames).toBeGreaterThan(800);
    expect(index.seekTable?.frames.length).toBeGreaterThan(50);
    expect(FrameIndex.decode(index.encode())).toEqual(index);
  });

  it('is decoded while probing once there is memory: its beginning, then all of it', () => {
    expect(asked).toEqual([chunkMemory(facts), chunkMemory(facts)]);
  });

  it('is not decoded from its beginning', async () => {
    // The first half is erased.
    const { bodyStart, frames, places } = index.seekTable!;
    const half = places[frames.findIndex((frame) => frame > last.frameStart - 50)]!;
    const [claimed, shown] = await decoded(await put('half.mxf', Buffer.from(bytes).fill(0, bodyStart, half)), index);
    expect(claimed.length).toBeGreaterThan(40);
    expect(shown).toEqual(claimed);
  });

  /** @hardening media: An MXF file without an index shows the wrong frames */
  it('is decoded from its beginning when a keyframe differs from the noted one', async () => {
    const table = index.seekTable!;
    const frames = table.frames.map((frame) => frame + 1);
    const wrong = new FrameIndex({ ...index, seekTable: { ...table, frames, hashes: table.hashes.map(() => '0') } });
    const [claimed, shown] = await decoded(await put('wrong.mxf', bytes), wrong);
    expect(claimed.length).toBeGreaterThan(40);
    expect(shown).toEqual(claimed);
  });
});
