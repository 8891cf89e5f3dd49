/** @needs ffmpeg */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { VideoFacts } from '@adit/contracts';
import { cachedMedia, numberedFilm, randomOf, readNumber, rgbLuminance, transcode } from '@adit/testing';
import { ClockOutliers } from './clock-outliers.js';
import { decodeInterval, type FrameIndex, openFramePackBuffer, planGrid, probeMedia, sampleFrames } from '../index.js';

/** Classifies times in ticks of 1/100 s: those in line, the wrong ones, and a jump back. */
function sorted(times: number[], period = Infinity): { right: number[]; wrong: number[]; back: number | null } {
  const told = { right: [] as number[], wrong: [] as number[], back: null as number | null };
  const clock = new ClockOutliers<number>(100, period, {
    inLine: (time) => void told.right.push(time),
    outlier: (time) => void told.wrong.push(time),
    back: (ticks) => void (told.back ??= ticks),
  });
  for (const time of times) clock.add(time, time);
  clock.finish();
  return told;
}

const run = (from: number, count: number, step = 4) => Array.from({ length: count }, (_, at) => from + at * step);

describe('the clock of a stream', () => {
  it('has single wrong times, in either direction and however many in a row', () => {
    for (const wrong of [[9e9], [-5e6], [9e9, 3, 8e5], run(9e6, 12), [1300, 700], run(500, 9, -7)]) {
      const times = [...run(1000, 50), ...wrong, ...run(1200, 50)];
      expect(sorted(times)).toEqual({ right: [...run(1000, 50), ...run(1200, 50)], wrong, back: null });
    }
  });

  it('has wrong times before a part that was lost', () => {
    const times = [...run(1000, 50), 9e9, ...run(1700, 40), -3e6, 8e8, ...run(9000, 40)];
    expect(sorted(times)).toEqual({
      right: [...run(1000, 50), ...run(1700, 40), ...run(9000, 40)],
      wrong: [9e9, -3e6, 8e8],
      back: null,
    });
  });

  it('jumps forward where it does not return, also at its end, and in every step of a slow film', () => {
    for (const times of [
      [...run(0, 50), ...run(9e6, 50)],
      [...run(0, 50), ...run(9e6, 3)],
      run(0, 200, 2000),
      [0, 3000],
    ]) {
      expect(sorted(times)).toEqual({ right: times, wrong: [], back: null });
    }
    // A last picture alone is no jump.
    expect(sorted([...run(0, 50), 9e9])).toEqual({ right: run(0, 50), wrong: [9e9], back: null });
  });

  it('jumps back where it does not return, and where ffmpeg takes that for a clock that restarts', () => {
    expect(sorted([...run(5000, 50), ...run(0, 50)]).back).toBe(5000 + 49 * 4);
    expect(sorted([...run(5000, 50), 9e9, ...run(0, 50)]).back).toBe(5000 + 49 * 4);
    expect(sorted([...run(5000, 50), ...run(0, 5)]).back).toBe(5000 + 49 * 4);
    expect(sorted([...run(5000, 50), ...run(2 ** 20, 50)], 2 ** 20).back).toBe(5000 + 49 * 4);
  });

  it('drops only wrong times, wherever they lie', () => {
    const places = fc.uniqueArray(fc.nat(99), { maxLength: 12 });
    const off = fc.oneof(fc.integer({ min: 500, max: 1e9 }), fc.integer({ min: -1e9, max: -500 }));
    fc.assert(
      fc.property(places, fc.array(off, { minLength: 12, maxLength: 12 }), (wrong, by) => {
        const times = run(1e5, 140);
        for (const [at, place] of wrong.entries()) times[20 + place] = 1e5 + (20 + place) * 4 + by[at]!;
        const { right, back } = sorted(times);
        expect(back).toBeNull();
        expect(right).toEqual(run(1e5, 140).filter((time) => times.includes(time)));
      }),
    );
  });
});

/** A transport stream of 20 s, two of which have a `share` of wrong bytes in each packet's content. */
async function damaged(seed: number, share: number): Promise<string> {
  const whole = await transcode('noise-of-clock.ts', [
    ...['-f', 'lavfi', '-i', numberedFilm({ seconds: 20 }), '-f', 'lavfi', '-i', 'sine=440:d=20'],
    ...[
      '-pix_fmt',
      'yuv420p',
      '-c:v',
      'libx264',
      '-bf',
      '2',
      '-g',
      '50',
      '-b:v',
      '1M',
      '-minrate',
      '1M',
      '-maxrate',
      '1M',
    ],
    ...['-bufsize', '500k', '-x264-params', 'nal-hrd=cbr', '-c:a', 'mp2', '-f', 'mpegts'],
  ]);
  return cachedMedia('noise.ts', JSON.stringify([whole, seed, share]), async (target) => {
    const bytes = await readFile(whole);
    const random = randomOf(seed);
    const from = Math.floor((bytes.length * (0.2 + 0.5 * random())) / 188) * 188;
    for (let packet = from; packet < from + bytes.length / 10; packet += 188) {
      for (let at = packet + 4; at < packet + 188; at++) if (random() < share) bytes[at] = Math.floor(random() * 256);
    }
    await writeFile(target, bytes);
  });
}

describe('a transport stream with two seconds of noise', () => {
  it('is mined, and the remaining pictures keep their places', async () => {
    for (const [seed, share] of [0.02, 0.01, 0.05].entries()) {
      const path = await damaged(seed, share);
      const { facts, index } = (await probeMedia(path)) as { facts: VideoFacts; index: FrameIndex };
      expect(facts.duration).toBeGreaterThan(19.5);
      expect(facts.duration).toBeLessThan(20.5);
      expect(facts.totalFrames).toBeGreaterThan(440);
      expect(facts.totalFrames).toBeLessThanOrEqual(501);
      const specs = [{ rate: 2, shorterSide: 'native' as const }];
      let [wanted, right] = [0, 0];
      for (const interval of planGrid(index)) {
        wanted += sampleFrames(index, interval, 2).length;
        const packs = await decodeInterval({ path, facts, index, interval, specs });
        const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
        for (const [at, { time }] of pack.frames.entries()) {
          if (readNumber(rgbLuminance(await pack.picture(at))) === Math.round(time * 25)) right++;
        }
      }
      // Pictures within the noise show something else, or nothing.
      expect({ seed, wanted, right, enough: right >= 28 }).toEqual({ seed, wanted, right, enough: true });
    }
  }, 300_000);
});
