/** @needs ffmpeg */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedMedia, transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PLANNING_RATE } from './audio-plan.js';
import { audioPieces, decodeAudio } from './decode-audio.js';
import { FilmLimits } from '../film-limits.js';
import { probeMedia } from '../probe.js';
import { SoundClock } from './sound-clock.js';

/** Seconds of each part, and where it clicks. */
const PART = 5;
const CLICKS = [1, 2.5, 4];

/** One part of a recording: clicks in a format, with a clock that begins at `at` seconds. */
function part(name: string, { rate, layout, at = 0, film = false, codec }: Part): Promise<string> {
  const level = `if(lt(mod(t-1,1.5),0.0005)*gte(t,1)*lt(t,4.2),0.9,0)`;
  const channels = { mono: 1, stereo: 2, '5.1': 6 }[layout];
  const sound = `aevalsrc='${Array.from({ length: channels }, () => level).join('|')}':c=${layout}:s=${rate}:d=${PART}`;
  const pictures = ['-f', 'lavfi', '-i', `testsrc2=s=64x64:r=25:d=${PART}`];
  return transcode(name, [
    ...(film ? pictures : []),
    ...['-f', 'lavfi', '-i', sound],
    ...(film ? ['-map', '0:v', '-map', '1:a', '-c:v', 'mpeg2video', '-pix_fmt', 'yuv420p'] : []),
    ...['-c:a', codec, '-output_ts_offset', String(at), '-bitexact'],
  ]);
}

interface Part {
  rate: number;
  layout: 'mono' | 'stereo' | '5.1';
  at?: number;
  film?: boolean;
  codec: string;
}

/** Concatenates the files, as recorders and radio servers do. */
async function joined(name: string, parts: Promise<string>[]): Promise<string> {
  const paths = await Promise.all(parts);
  return cachedMedia(name, paths, async (path) => {
    await writeFile(path, Buffer.concat(await Promise.all(paths.map((one) => readFile(one)))));
  });
}

describe('sound whose format changes within a recording', () => {
  let folder: string;
  let decoded = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-clock-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const heard = async (path: string): Promise<{ clicks: number[]; seconds: number; duration: number }> => {
    const { facts } = await probeMedia(path);
    const format = { sampleRate: PLANNING_RATE, channels: 1 as const };
    const audio = await decodeAudio({ path, facts, format, target: join(folder, String(decoded++)) });
    const clicks: number[] = [];
    let at = 0;
    for await (const piece of audioPieces(audio)) {
      for (const sample of piece) {
        const time = at++ / PLANNING_RATE;
        if (Math.abs(sample) > 0.1 && time - (clicks.at(-1) ?? -1) > 0.1) clicks.push(time);
      }
    }
    const duration = facts.kind === 'audio' || facts.kind === 'video' ? facts.duration : NaN;
    return { clicks, seconds: audio.samples / PLANNING_RATE, duration };
  };

  const expectClicks = (clicks: readonly number[], starts: readonly number[]): void => {
    const expected = starts.flatMap((start) => CLICKS.map((click) => start + click));
    expect(clicks).toHaveLength(expected.length);
    for (const [i, time] of expected.entries()) expect(Math.abs(clicks[i]! - time)).toBeLessThan(0.11);
  };

  const ts = { film: true, codec: 'ac3' };
  it.each<[string, Promise<string>[], number[]]>([
    [
      'from stereo to 5.1',
      [
        part('a.ts', { ...ts, rate: 48_000, layout: 'stereo' }),
        part('b.ts', { ...ts, rate: 48_000, layout: '5.1', at: PART }),
      ],
      [0, PART],
    ],
    [
      'from mono to stereo and back, after holes',
      [
        part('a.ts', { ...ts, rate: 48_000, layout: 'mono' }),
        part('b.ts', { ...ts, rate: 48_000, layout: 'stereo', at: PART + 2 }),
        part('c.ts', { ...ts, rate: 48_000, layout: 'mono', at: 2 * PART + 5 }),
      ],
      [0, PART + 2, 2 * PART + 5],
    ],
    [
      'from 44.1 to 48 kHz',
      [
        part('a.ts', { ...ts, rate: 44_100, layout: 'stereo' }),
        part('b.ts', { ...ts, rate: 48_000, layout: 'stereo', at: PART }),
      ],
      [0, PART],
    ],
    [
      'from mono to stereo in a recording without pictures, after a hole',
      [
        part('a.ts', { codec: 'ac3', rate: 48_000, layout: 'mono' }),
        part('b.ts', { codec: 'ac3', rate: 48_000, layout: 'stereo', at: PART + 3 }),
      ],
      [0, PART + 3],
    ],
  ])('keeps the time of its packets %s', async (_, parts, starts) => {
    const { clicks, seconds } = await heard(await joined('changing.ts', parts));
    expectClicks(clicks, starts);
    expect(Math.abs(seconds - (starts.at(-1)! + PART))).toBeLessThan(0.2);
  });

  it.each<[string, Omit<Part, 'at'>[]]>([
    [
      'Vorbis of two rates',
      [
        { codec: 'libvorbis', rate: 48_000, layout: 'mono' },
        { codec: 'libvorbis', rate: 44_100, layout: 'stereo' },
      ],
    ],
    [
      'Opus of two layouts',
      [
        { codec: 'libopus', rate: 48_000, layout: 'mono' },
        { codec: 'libopus', rate: 48_000, layout: 'stereo' },
      ],
    ],
    [
      'Opus of mono, stereo and mono again',
      (['mono', 'stereo', 'mono'] as const).map((layout): Part => ({ codec: 'libopus', rate: 48_000, layout })),
    ],
    [
      'FLAC of one format, three times',
      Array.from({ length: 3 }, (): Part => ({ codec: 'flac', rate: 44_100, layout: 'mono' })),
    ],
  ])('is read to its end in chained Ogg: %s', async (_, formats) => {
    const links = formats.map((format, i) => part(`link-${i}.ogg`, format));
    const { clicks, seconds, duration } = await heard(await joined('chained.ogg', links));
    expectClicks(
      clicks,
      formats.map((_, i) => i * PART),
    );
    expect(Math.abs(seconds - formats.length * PART)).toBeLessThan(0.1);
    expect(Math.abs(duration - formats.length * PART)).toBeLessThan(0.1);
  });
});

describe('the clock of sound', () => {
  const clockOf = (frames: readonly [position: number | null, samples: number][], isFilm = true, isOgg = false) => {
    const clock = new SoundClock(1000, {
      start: isFilm ? 0 : null,
      isOgg,
      limits: FilmLimits.parse({ maxFilmSeconds: 600 }),
    });
    for (const [position, samples] of frames) {
      clock.add(`frame:0    pts:${position ?? 'NOPTS'}       pts_time:0`);
      clock.add(`lavfi.astats.Overall.Number_of_samples=${samples}.000000`);
    }
    return clock.pieces(frames.reduce((sum, [, samples]) => sum + samples, 0));
  };

  it('ignores jitter, fills gaps, and drops sound before the start or sound that repeats', () => {
    expect(
      clockOf([
        [-100, 300],
        [250, 100],
        [350, 100],
        [2000, 500],
        [1800, 1000],
        [null, 50],
      ]),
    ).toEqual([
      { from: 100, to: 500, at: 0 },
      { from: 500, to: 1000, at: 2000 },
      { from: 1700, to: 2050, at: 2500 },
    ]);
  });

  it('begins with the first sample where there are no pictures, and continues where the clock restarts', () => {
    const frames: [number, number][] = [
      [500, 1000],
      [0, 1000],
      [3000, 100],
    ];
    expect(clockOf(frames, false)).toEqual([
      { from: 0, to: 2000, at: 0 },
      { from: 2000, to: 2100, at: 4000 },
    ]);
    // The clock of a later link counts in units of the first one's.
    expect(clockOf(frames, false, true)).toEqual([{ from: 0, to: 2100, at: 0 }]);
  });

  it('takes the remaining sound when the list ends early, and never more than there is', () => {
    const clock = new SoundClock(1000, { start: 0, isOgg: false, limits: FilmLimits.parse({}) });
    clock.add('frame:0    pts:200       pts_time:0.2');
    clock.add('lavfi.astats.Overall.Number_of_samples=300.000000');
    expect(clock.pieces(1000)).toEqual([{ from: 0, to: 1000, at: 200 }]);
    expect(clock.pieces(100)).toEqual([{ from: 0, to: 100, at: 200 }]);
    expect(clock.pieces(0)).toEqual([]);
  });

  it('refuses sound beyond the longest film, and a clock with endless jumps', () => {
    expect(() => clockOf([[700_000, 10]])).toThrow(/600 s/);
    const clock = new SoundClock(1000, { start: 0, isOgg: false, limits: FilmLimits.parse({}) });
    const jump = (i: number): void => {
      clock.add(`frame:${i}    pts:${i * 200}       pts_time:0`);
      clock.add('lavfi.astats.Overall.Number_of_samples=1.000000');
    };
    expect(() => Array.from({ length: 100_001 }, (_, i) => jump(i))).toThrow(/jump more than 100000 times/);
  });
});
