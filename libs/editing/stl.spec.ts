import { formatTimecode, framesPerDay, parseTimecode, type TimecodeRate } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EditEvent } from './edit-list.js';
import { bytesOf, listOf, rate, RATES, sourceOf } from './testing/lists.js';

const speech = { module: 'speech_recognition', label: 'de', text: 'Ja.', speaker: null };

/** Format, start of the programme, and the times of each subtitle; HH:MM:SS:FF. */
function timesOf(file: Buffer): { format: string; programme: string; times: [string, string][] } {
  const clock = (parts: Iterable<number | string>): string =>
    Array.from(parts, (part) => String(part).padStart(2, '0')).join(':');
  const times: [string, string][] = [];
  for (let at = 1024; at < file.length; at += 128)
    times.push([clock(file.subarray(at + 5, at + 9)), clock(file.subarray(at + 9, at + 13))]);
  const digits = file.toString('latin1', 256, 264);
  return { format: file.toString('latin1', 3, 11), programme: clock(digits.match(/../g) ?? []), times };
}

describe.each(RATES)('EBU-STL of a film at %s', (name, editRate) => {
  const counting: TimecodeRate = /^(29|59)/.test(name)
    ? { nominal: 30, dropFrame: editRate.dropFrame }
    : { nominal: 25, dropFrame: false };
  const fps = counting.nominal === 25 ? 25 : 30_000 / 1001;
  const filmFps = editRate.fps.num / editRate.fps.den;

  it('begins a subtitle when its words begin, in timecode of the film', async () => {
    const anyFilm = fc.record({
      firstFrame: fc.nat(framesPerDay(editRate) - 1),
      gaps: fc.array(fc.integer({ min: 600, max: 100_000 }), { minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(anyFilm, async ({ firstFrame, gaps }) => {
        const source = sourceOf(editRate, { firstFrame });
        let start = 0;
        const events: EditEvent[] = gaps.map((gap) => ({ ...speech, source, start: (start += gap), end: start + 240 }));
        const { format, programme, times } = timesOf(await bytesOf('stl', listOf(events, [source], editRate)));
        expect(format).toBe(counting.nominal === 25 ? 'STL25.01' : 'STL30.01');
        const [day, first] = [framesPerDay(counting), parseTimecode(programme, counting)];
        const label = formatTimecode(firstFrame, editRate);
        expect(programme.slice(0, 8)).toBe(label.slice(0, 8));
        const [own, film] = [Number(programme.slice(9)), Number(label.slice(9))];
        expect(Math.abs(own / counting.nominal - film / editRate.nominal)).toBeLessThan(1 / counting.nominal);
        for (const [at, [tci, tco]] of times.entries()) {
          const wanted = ((events[at]?.start ?? NaN) / filmFps) * fps;
          const found = (((parseTimecode(tci, counting) - first) % day) + day) % day;
          // Half a frame, and half a millisecond, which cues are rounded to before.
          expect(Math.abs(found - (wanted % day))).toBeLessThanOrEqual(0.5 + fps / 2000 + 1e-6);
          expect(tco).not.toBe(tci);
          // At the rates of the format itself nothing is rounded.
          if (name === '25' || name.startsWith('29.97'))
            expect(parseTimecode(tci, counting)).toBe((firstFrame + (events[at]?.start ?? NaN)) % day);
        }
        expect(times).toHaveLength(events.length);
      }),
      { numRuns: 60 },
    );
  });
});

describe('EBU-STL', () => {
  const film = sourceOf(rate(25, 1));

  it('has what was said or stands there, and leaves out the rest', async () => {
    const events = [
      { ...speech, source: film, start: 0, end: 50, text: 'Hello.' },
      { ...speech, source: film, start: 25, end: 75, text: '', label: 'Ada', module: 'face_recognition' },
      { ...speech, source: film, start: 60, end: 90, text: 'BREAKING NEWS', module: 'text_recognition' },
    ];
    const file = await bytesOf('stl', listOf(events, [film], film.rate));
    expect(file.toString('latin1', 238, 248)).toBe('0000200002');
    expect(file.toString('latin1', 1024 + 16, 1024 + 22)).toBe('Hello.');
    expect(file.toString('latin1', 1152 + 16, 1152 + 29)).toBe('BREAKING NEWS');
  });

  it('goes by the times of words where they are known', async () => {
    const text = 'Now and then.';
    const word = (
      each: string,
      from: number,
    ): { text: string; time_start: number; time_end: number; confidence: number } => ({
      ...{ text: each, time_start: from, time_end: from + 0.5, confidence: 1 },
    });
    const event = {
      ...speech,
      source: film,
      start: 0,
      end: 500,
      text,
      words: [word('Now', 2), word('and', 12), word('then.', 13)],
    };
    const { times } = timesOf(await bytesOf('stl', listOf([event], [film], film.rate)));
    expect(times.map(([start]) => start)).toEqual(['00:00:02:00', '00:00:12:00']);
  });
});
