import { formatTimecode, framesPerDay, TIMECODE_RATES, type Conform } from '@adit/contracts';
import { filmFacts } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import type { EditRate } from './edit-rate.js';
import { EDIT_FORMATS } from './formats.js';
import { intervalOf, timelineOf, type SourceTimeline } from './source-timeline.js';
import { listOf, RATES, sourceOf, written } from './testing/lists.js';
import { READERS } from './testing/read-back.js';

/** As people write it. */
const named = ({ fps }: EditRate): number => Number((fps.num / fps.den).toFixed(3));

function timeline(fps: EditRate['fps'], conform: Conform): SourceTimeline {
  const facts = filmFacts({ fps, totalFrames: 400_000, duration: (400_000 * fps.den) / fps.num });
  const found = timelineOf(facts, conform);
  if (found === null) throw new Error('A film has a timeline.');
  return found;
}

/** Segments as results have them, of whole frames; the last one begins 60,000 frames in. */
const SEGMENTS = [
  [0, 0],
  [1, 24],
  [1799, 1800],
  [17_981, 17_983],
  [60_000, 90_000],
] as const;

/** Timecodes of masters: at the beginning of a day, of a tape, and across midnight. */
const STARTS = (rate: EditRate) => [0, 10 * 60 * rate.nominal, framesPerDay(rate) - 1, framesPerDay(rate) - 17_982];

describe.each(RATES)('a proxy of a master at %s', (_, rate) => {
  const { num, den } = rate.fps;
  const segments = SEGMENTS.map(([frameStart, frameEnd]) => ({
    ...{ frameStart, frameEnd, timeStart: (frameStart * den) / num, timeEnd: (frameEnd * den) / num },
  }));

  it.each(Object.entries(READERS))('is found in the master by %s, to the frame', async (name, read) => {
    const format = name as keyof typeof READERS;
    for (const start of STARTS(rate)) {
      for (const asked of [{ timecode_rate: named(rate) }, {}]) {
        const { byFrames, ...counted } = timeline(rate.fps, { start_timecode: formatTimecode(start, rate), ...asked });
        expect([byFrames, counted.firstFrame, counted.rate]).toEqual([true, start, rate]);
        const source = sourceOf(rate, counted);
        const events = segments.map((segment) => ({
          ...{ source, module: 'm', label: 'l', text: '', speaker: null },
          ...intervalOf(segment, { byFrames, ...counted }, 0),
        }));
        const found = read(await written(format, listOf(events, [source], rate)), rate);
        const day = framesPerDay(rate);
        const wraps = !['fcp7xml', 'fcpxml', 'otio'].includes(format);
        const at = (frame: number): number => (wraps ? (start + frame) % day : start + frame);
        expect(found.map((event) => [event.start, event.end - event.start])).toEqual(
          SEGMENTS.map(([first, last]) => [at(first), last + 1 - first]),
        );
      }
    }
  });
});

describe('a proxy of another rate', () => {
  it.each([
    ['a proxy of 12.5 for 25', { num: 25, den: 2 }, 25, [100, 101], [200, 203]],
    ['a proxy of 25 for 50', { num: 25, den: 1 }, 50, [100, 101], [200, 203]],
    ['a proxy of 29.97 for 59.94', { num: 30_000, den: 1001 }, 59.94, [17_982, 17_982], [35_964, 35_965]],
    ['a proxy of 50 for 25', { num: 50, den: 1 }, 25, [100, 101], [50, 51]],
  ])('%s is cut by time', (_, fps, rate, [frameStart = 0, frameEnd = 0], [start, end]) => {
    const found = timeline(fps, { start_timecode: '10:00:00:00', timecode_rate: rate });
    expect([found.rate.nominal, found.byFrames]).toEqual([Math.round(rate), false]);
    const seconds = (frame: number): number => (frame * fps.den) / fps.num;
    const segment = { frameStart, frameEnd, timeStart: seconds(frameStart), timeEnd: seconds(frameEnd) };
    const interval = intervalOf(segment, found, 0);
    expect(interval).toEqual({ start, end: expect.any(Number) });
    expect(Math.abs(interval.end - Number(end))).toBeLessThanOrEqual(1);
    expect(found.length).toBe(
      Math.ceil((400_000 * fps.den * found.rate.fps.num) / (fps.num * found.rate.fps.den) - 1e-6),
    );
  });

  it('sound has the timecode that it is told', () => {
    const facts = {
      kind: 'audio',
      container: 'wav',
      codec: 'pcm_s16le',
      duration: 10,
      channels: 2,
      sampleRate: 48_000,
    } as const;
    expect(timelineOf(facts, { start_timecode: '01:00:00;00', timecode_rate: 29.97 })).toMatchObject({
      ...{ firstFrame: 107_892, length: 300, byFrames: false },
      rate: { fps: { num: 30_000, den: 1001 }, dropFrame: true },
    });
  });

  it('every rate that may be posted is one that is written', () => {
    for (const rate of TIMECODE_RATES) {
      const { rate: found } = timeline({ num: 25, den: 1 }, { start_timecode: '00:00:00:00', timecode_rate: rate });
      expect(named(found)).toBe(rate);
    }
  });

  it('drop-frame that is not defined at the rate of the film is refused, as is a timecode that does not exist', () => {
    expect(() => timeline({ num: 25, den: 1 }, { start_timecode: '01:00:00;00' })).toThrow(/not defined at 25/);
    expect(() => timeline({ num: 25, den: 1 }, { start_timecode: '01:00:00:25' })).toThrow(/does not exist/);
  });

  it('without a timecode of the master that of the file counts', () => {
    expect(timelineOf(filmFacts({ startTimecode: '02:00:00:00' }), { reel: 'A001' })?.firstFrame).toBe(180_000);
  });
});

describe('a reel that is longer than eight letters', () => {
  it.each(['edl', 'fcp7xml', 'otio', 'ale', 'csv'] as const)('is whole in %s', async (format) => {
    const [, rate] = RATES[2] ?? [];
    if (rate === undefined) throw new Error('There are no rates.');
    const source = sourceOf(rate, { reel: 'A001C003', tape: 'A001C003_261130_R1AB' });
    const event = { source, start: 0, end: 5, module: 'm', label: 'l', text: '', speaker: null };
    const text = await written(format, listOf([event], [source], rate));
    expect(text).toContain('A001C003_261130_R1AB');
    if (format === 'edl') expect(text).toContain('001  A001C003 ');
    expect(EDIT_FORMATS[format].name).toBe(format);
  });
});
