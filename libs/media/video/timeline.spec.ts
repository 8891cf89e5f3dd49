/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import type { VideoFacts } from '@adit/contracts';
import { cachedMedia, numberedFilm, readNumber, rgbLuminance, transcode } from '@adit/testing';
import { clockGaps } from './clock-gaps.js';
import { decodeInterval, FrameIndex, openFramePackBuffer, planGrid, probeMedia } from '../index.js';

/** A transport stream of `seconds` whose clock begins at `offset` seconds. */
function stream(offset: number, seconds: number): Promise<string> {
  return transcode(`from-${offset}.ts`, [
    ...['-f', 'lavfi', '-i', numberedFilm({ seconds }), '-pix_fmt', 'yuv420p', '-c:v', 'libx264'],
    ...['-preset', 'veryfast', '-bf', '2', '-g', '50', '-output_ts_offset', String(offset), '-f', 'mpegts'],
  ]);
}

async function joined(parts: string[]): Promise<string> {
  return cachedMedia('joined.ts', parts, async (path) => {
    await writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
  });
}

/**
 * Adds edit lists to a QuickTime film with its index at the end: each track begins that many seconds after the film
 * does, and that many into its own media, as trimming in a player leaves it.
 */
function withEdits(film: Buffer, tracks: [film: number, media: number][]): Buffer {
  const changed = Buffer.from(film);
  const moov = changed.lastIndexOf('moov', undefined, 'latin1');
  expect(moov - 4 + changed.readUInt32BE(moov - 4)).toBe(changed.length);
  const scale = changed.readUInt32BE(changed.indexOf('mvhd', moov, 'latin1') + 16);
  const grown: Buffer[] = [];
  let rest = changed.subarray(moov + 4);
  const head = changed.subarray(0, moov + 4);
  for (const [later, into] of tracks) {
    const trak = rest.indexOf('trak', 0, 'latin1');
    const edts = rest.indexOf('edts', trak, 'latin1') - 4;
    const ticks = rest.readUInt32BE(rest.indexOf('mdhd', edts, 'latin1') + 16);
    const entries = [...(later > 0 ? [[later * scale, -1]] : []), [4 * scale, into * ticks]];
    const edits = Buffer.alloc(24 + 12 * entries.length);
    edits.writeUInt32BE(edits.length, 0);
    edits.write('edts', 4, 'latin1');
    edits.writeUInt32BE(edits.length - 8, 8);
    edits.write('elst', 12, 'latin1');
    edits.writeUInt32BE(entries.length, 20);
    for (const [at, [length = 0, time = 0]] of entries.entries()) {
      edits.writeUInt32BE(Math.round(length), 24 + 12 * at);
      edits.writeInt32BE(Math.round(time), 28 + 12 * at);
      edits.writeUInt32BE(0x10000, 32 + 12 * at);
    }
    const old = rest.readUInt32BE(edts);
    rest.writeUInt32BE(rest.readUInt32BE(trak - 4) + edits.length - old, trak - 4);
    grown.push(rest.subarray(0, edts), edits);
    rest = rest.subarray(edts + old);
  }
  const body = Buffer.concat([...grown, rest]);
  const whole = Buffer.concat([head, body]);
  whole.writeUInt32BE(whole.length - (moov - 4), moov - 4);
  return whole;
}

describe('the timeline of a film', () => {
  /** @hardening media: A frame rate is averaged over gaps and jumps */
  it('keeps rate, numbers and times across a jump forward, and no chunk crosses it', async () => {
    const path = await joined([await stream(100, 12), await stream(400, 12)]);
    const { facts, index } = (await probeMedia(path)) as { facts: VideoFacts; index: FrameIndex };
    expect(facts).toMatchObject({ fps: { num: 25, den: 1 }, variableFrameRate: true, totalFrames: 600 });
    expect(facts.duration).toBeCloseTo(312, 1);
    const [from, to] = [expect.closeTo(12, 2), expect.closeTo(300, 2)];
    expect(facts.gaps).toEqual({ count: 1, seconds: expect.closeTo(288, 2), longest: [{ from, to }] });
    const grid = planGrid(index);
    expect(grid.map(({ frameStart, frameEnd }) => [frameStart, frameEnd])).toEqual([
      [0, 300],
      [300, 600],
    ]);
    const specs = [{ rate: 1, shorterSide: 'native' as const }];
    const packs = await decodeInterval({ path, facts, index, interval: grid[1]!, specs });
    const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
    expect(pack.frames).toHaveLength(12);
    for (const [i, { frame }] of pack.frames.entries())
      expect(readNumber(rgbLuminance(await pack.picture(i)))).toBe(frame - 300);
  });

  it('has no gaps where pictures follow each other, and names the longest of many', async () => {
    const plain = (await probeMedia(await stream(100, 12))).facts;
    expect(plain).not.toHaveProperty('gaps');
    const film = (times: number[]) =>
      new FrameIndex({
        ...{ timeBase: { num: 1, den: 25 }, pts: Float64Array.from(times), endPts: times.at(-1)! + 1 },
        ...{ keyFrames: new Uint32Array(), seekPts: new Float64Array(), seekDts: new Float64Array(), seekTable: null },
        hints: { timing: 'stated' } as FrameIndex['hints'],
      });
    const fps = { num: 25, den: 1 };
    // Two pictures, then gaps that grow by a little each time.
    const many = Array.from({ length: 300 }, (_, at) => at * 100 + at * at);
    const gaps = clockGaps(film(many.flatMap((at) => [at, at + 1])), fps)!;
    expect(gaps.count).toBe(299);
    expect(gaps.longest).toHaveLength(50);
    expect(gaps.longest.at(-1)).toEqual({ from: (many[298]! + 2) / 25, to: many[299]! / 25 });
    expect(gaps.seconds).toBeCloseTo((many[299]! - 2 * 299) / 25);
    expect(clockGaps(film([0, 250, 500]), { num: 1, den: 10 })).toBeNull();
  });

  it.each([
    ['by a little', 100, 95],
    // ffmpeg takes this for a wrapped clock, and adds 26.5 hours.
    ['by more than a minute', 4000, 100],
  ])('is refused when it jumps back %s, and the reason says so', async (_name, first, second) => {
    const path = await joined([await stream(first, 12), await stream(second, 12)]);
    const back = `${first + 12 - second}`.slice(0, -1);
    await expect(probeMedia(path)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(new RegExp(`jump back by ${back}\\d\\.\\d s .*joined recordings`)),
    });
  });

  it.each([
    { rate: '25', first: '10:00:00:00', pictures: [0, 3], codes: [0, 3], shown: '10:00:03:00' },
    { rate: '25', first: '10:00:00:00', pictures: [0, 2.5], codes: [0, 2.5], shown: '10:00:02:12' },
    // At 29.97 pictures per second, timecodes drop numbers at each minute.
    { rate: '30000/1001', first: '00:00:58;00', pictures: [0, 2.002], codes: [0, 2.002], shown: '00:01:00;02' },
    // Both tracks begin later, or the timecodes alone, whose first number then belongs to a later picture.
    { rate: '25', first: '10:00:00:00', pictures: [1, 1], codes: [1, 1], shown: '10:00:01:00' },
    { rate: '25', first: '10:00:00:00', pictures: [0, 0], codes: [2, 0], shown: '09:59:58:00' },
    { rate: '25', first: '10:00:00:00', pictures: [0, 3], codes: [0, 0], shown: '10:00:00:00' },
    { rate: '25', first: '10:00:00:00', pictures: [0, 0], codes: [0, 0], shown: '10:00:00:00' },
  ])('of a trimmed QuickTime film begins with the timecode of its cut: $shown', async (film) => {
    const { rate, first, shown } = film;
    const whole = await transcode(`timecoded-${film.rate.length}.mov`, [
      ...['-f', 'lavfi', '-i', `color=s=64x64:r=${rate}:d=8`, '-c:v', 'mpeg4', '-timecode', first],
    ]);
    const path = await cachedMedia('trimmed.mov', JSON.stringify([whole, film]), async (target) => {
      const tracks = [film.pictures, film.codes] as [number, number][];
      await writeFile(target, withEdits(await readFile(whole), tracks));
    });
    expect((await probeMedia(path)).facts).toMatchObject({ startTimecode: shown });
  });

  /** @hardening media: Missing frames shift timecodes */
  it('counts timecodes at the rate of their track', async () => {
    const film = (rate: number, more: string[]) =>
      transcode(`at-${rate}.mov`, [...['-f', 'lavfi', '-i', `color=s=64x64:r=${rate}:d=2`, '-c:v', 'mpeg4'], ...more]);
    const halves = await transcode('track-of-25.mov', [
      ...['-i', await film(50, []), '-i', await film(25, ['-timecode', '10:00:00:00'])],
      ...['-map', '0:v', '-map', '1:d', '-c', 'copy', '-write_tmcd', '0'],
    ]);
    const { facts } = await probeMedia(halves);
    expect(facts).toMatchObject({
      fps: { num: 50, den: 1 },
      startTimecode: '10:00:00:00',
      timecodeRate: { num: 25, den: 1 },
    });
    const fast = (await probeMedia(await film(120, ['-timecode', '10:00:00:119']))).facts;
    expect(fast).toMatchObject({ fps: { num: 120, den: 1 }, startTimecode: '10:00:00:119' });
    expect(fast).not.toHaveProperty('timecodeRate');
  });
});
