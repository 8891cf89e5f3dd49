import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filmFacts } from '@adit/testing';
import { formatTimecode, framesPerDay, parseTimecode, timecodeAt } from './timecode.js';
import type { TimecodeRate } from './timecode.js';

const RATES: Record<string, TimecodeRate> = {
  '23.976': { nominal: 24, dropFrame: false },
  '24': { nominal: 24, dropFrame: false },
  '25': { nominal: 25, dropFrame: false },
  '29.97 drop': { nominal: 30, dropFrame: true },
  '29.97 non-drop': { nominal: 30, dropFrame: false },
  '30': { nominal: 30, dropFrame: false },
  '50': { nominal: 50, dropFrame: false },
  '59.94 drop': { nominal: 60, dropFrame: true },
  '60': { nominal: 60, dropFrame: false },
};
const anyRate = fc.constantFrom(...Object.values(RATES));

const addFrames = (timecode: string, frames: number, rate: TimecodeRate) =>
  formatTimecode(parseTimecode(timecode, rate) + frames, rate);

describe('timecodes', () => {
  // The published examples of drop-frame counting: the numbers around the first and the tenth minute.
  it.each([
    ['29.97 drop', 1799, '00:00:59;29'],
    ['29.97 drop', 1800, '00:01:00;02'],
    ['29.97 drop', 3597, '00:01:59;29'],
    ['29.97 drop', 3598, '00:02:00;02'],
    ['29.97 drop', 17_981, '00:09:59;29'],
    ['29.97 drop', 17_982, '00:10:00;00'],
    ['29.97 drop', 107_892, '01:00:00;00'],
    ['59.94 drop', 3600, '00:01:00;04'],
    ['59.94 drop', 35_964, '00:10:00;00'],
    ['59.94 drop', 215_784, '01:00:00;00'],
    ['29.97 non-drop', 1800, '00:01:00:00'],
    ['23.976', 86_400, '01:00:00:00'],
    ['50', 3_049, '00:01:00:49'],
  ])('of %s: frame %i is %s', (name, frames, text) => {
    const rate = RATES[name] as TimecodeRate;
    expect(formatTimecode(frames, rate)).toBe(text);
    expect(parseTimecode(text, rate)).toBe(frames);
  });

  it('give back every frame of a day', () => {
    fc.assert(
      fc.property(anyRate, fc.nat(), (rate, seed) => {
        const frame = seed % framesPerDay(rate);
        return parseTimecode(formatTimecode(frame, rate), rate) === frame;
      }),
      { numRuns: 2000 },
    );
  });

  it('count up one by one, without holes or repeats, for 21 minutes', () => {
    for (const rate of [RATES['29.97 drop'], RATES['59.94 drop']] as TimecodeRate[]) {
      const texts = Array.from({ length: rate.nominal * 60 * 21 }, (_, frame) => formatTimecode(frame, rate));
      const firstWrong = texts.findIndex((text, frame) => frame > 0 && text <= (texts[frame - 1] as string));
      expect(firstWrong).toBe(-1);
    }
  });

  it('add frames as numbers add, and wrap at 24 hours both ways', () => {
    fc.assert(
      fc.property(anyRate, fc.nat(3_000_000), fc.integer({ min: -6_000_000, max: 6_000_000 }), (rate, start, step) => {
        const there = addFrames(formatTimecode(start, rate), step, rate);
        return addFrames(there, -step, rate) === formatTimecode(start, rate);
      }),
    );
    expect(addFrames('23:59:59:24', 1, RATES['25'] as TimecodeRate)).toBe('00:00:00:00');
    expect(addFrames('23:59:59;29', 1, RATES['29.97 drop'] as TimecodeRate)).toBe('00:00:00;00');
    expect(addFrames('00:00:00:00', -1, RATES['24'] as TimecodeRate)).toBe('23:59:59:23');
  });

  it('keep drop-frame within two frames of the clock over a day', () => {
    const rate = RATES['29.97 drop'] as TimecodeRate;
    for (let minute = 0; minute < 1440; minute += 1) {
      const frame = Math.round((minute * 60 * 30_000) / 1001);
      const [h, m, s] = formatTimecode(frame, rate).split(/[:;]/).map(Number) as [number, number, number];
      const behind = minute * 60 - (h * 3600 + m * 60 + s);
      expect(Math.abs(behind)).toBeLessThanOrEqual(1);
    }
  });

  it.each([
    ['00:01:00;00', '29.97 drop', /leaves out/],
    ['00:00:00:25', '25', /does not exist/],
    ['24:00:00:00', '25', /does not exist/],
    ['00:61:00:00', '25', /not a timecode/],
    ['1:00:00:00', '25', /not a timecode/],
    ['', '25', /not a timecode/],
  ])('refuse %s at %s', (text, name, message) => {
    expect(() => parseTimecode(text, RATES[name] as TimecodeRate)).toThrow(message);
  });

  it('add the start timecode of the source', () => {
    expect(timecodeAt(filmFacts({ startTimecode: '10:00:00:00' }), 26, 1.04)).toBe('10:00:01:01');
    expect(timecodeAt(filmFacts({ startTimecode: '23:59:59:24' }), 1, 0.04)).toBe('00:00:00:00');
    const ntsc = { num: 30_000, den: 1001 };
    expect(timecodeAt(filmFacts({ fps: ntsc, startTimecode: '01:00:59;28' }), 2, 0)).toBe('01:01:00;02');
    expect(timecodeAt(filmFacts({ fps: ntsc, startTimecode: '01:00:59:28' }), 2, 0)).toBe('01:01:00:00');
    expect(timecodeAt(filmFacts({ fps: ntsc }), 1800, 60.06)).toBe('00:01:00;02');
    expect(timecodeAt(filmFacts({ fps: { num: 24_000, den: 1001 } }), 1440, 60.06)).toBe('00:01:00:00');
  });

  it('start at zero when the file carries a timecode that its rate does not have', () => {
    expect(timecodeAt(filmFacts({ startTimecode: '10:00:00:29' }), 25, 1)).toBe('00:00:01:00');
  });

  it.each([
    // Two frames share a number of a timecode that counts at 25 in 50p (SMPTE ST 12-1, 12.1).
    ['50p with a track of 25', { fps: { num: 50, den: 1 }, timecodeRate: { num: 25, den: 1 } }, 51, '00:00:01:00'],
    ['12.5', { fps: { num: 25, den: 2 } }, 25, '00:00:02:00'],
    ['12.5', { fps: { num: 25, den: 2 } }, 26, '00:00:02:02'],
    ['0.5', { fps: { num: 1, den: 2 } }, 30, '00:01:00:00'],
    ['14.985', { fps: { num: 15_000, den: 1001 } }, 900, '00:01:00:00'],
    ['120', { fps: { num: 120, den: 1 }, startTimecode: '10:00:00:119' }, 2, '10:00:01:001'],
    ['100', { fps: { num: 100, den: 1 } }, 105, '00:00:01:05'],
    ['10.37, of which no timecode is a multiple', { fps: { num: 1037, den: 100 } }, 622, '00:00:59:09'],
    ['a rate beyond all fields', { fps: { num: 90_000, den: 1 } }, 90_045, '00:00:01:000'],
    ['next to nothing', { fps: { num: 1, den: 1_000_000_007 } }, 1, '01:46:47:00'],
  ])('count %s', (_name, facts, frame, timecode) => {
    const film = filmFacts(facts);
    expect(timecodeAt(film, frame, (frame * film.fps.den) / film.fps.num)).toBe(timecode);
  });

  /** @hardening media: Missing frames shift timecodes */
  it('have a field for every frame of any film', () => {
    const term = fc.integer({ min: 1, max: 2 ** 31 - 1 });
    const rate = fc.oneof(
      fc.record({ num: term, den: term }),
      fc.constantFrom({ num: 25, den: 2 }, { num: 1, den: 2 }),
    );
    fc.assert(
      fc.property(rate, fc.option(rate), fc.boolean(), fc.nat(), (fps, timecodeRate, variableFrameRate, frame) => {
        const film = filmFacts({ fps, variableFrameRate, ...(timecodeRate === null ? {} : { timecodeRate }) });
        expect(timecodeAt(film, frame, (frame * fps.den) / fps.num)).toMatch(/^[0-2]\d:[0-5]\d:[0-5]\d[:;]\d{2,3}$/);
      }),
    );
  });

  it('follow the clock behind missing frames, at the rate that frames count at', () => {
    const ntsc = { fps: { num: 30_000, den: 1001 }, variableFrameRate: true };
    // An hour of which 1 % is missing, in a clock of milliseconds.
    expect(timecodeAt(filmFacts(ntsc), 106_813, 3600.003)).toBe('01:00:00;00');
    expect(timecodeAt(filmFacts({ ...ntsc, startTimecode: '01:00:00:00' }), 90, 3.036)).toBe('01:00:03:01');
    expect(timecodeAt(filmFacts({ variableFrameRate: true }), 1000, 47.96)).toBe('00:00:47:24');
  });

  it('continue by time where sound outlasts the pictures', () => {
    const film = filmFacts({ totalFrames: 250, duration: 20, startTimecode: '10:00:00:00' });
    expect(timecodeAt(film, 249, 9.99)).toBe('10:00:09:24');
    expect(timecodeAt(film, 249, 15)).toBe('10:00:15:00');
    expect(timecodeAt(filmFacts({ fps: { num: 30_000, den: 1001 }, totalFrames: 300 }), 299, 60.06)).toBe(
      '00:01:00;02',
    );
  });

  it('follow time where frame numbers do not tell it', () => {
    expect(timecodeAt(filmFacts({ variableFrameRate: true }), 3, 61.52)).toBe('00:01:01:13');
    expect(timecodeAt({ kind: 'image', format: 'png', width: 4, height: 4 }, 7, 0)).toBe('00:00:00:00');
    const audio = {
      kind: 'audio',
      container: 'wav',
      codec: 'pcm',
      duration: 9,
      channels: 1,
      sampleRate: 8000,
    } as const;
    expect(timecodeAt(audio, null, 3.5)).toBe('00:00:03:12');
  });
});
