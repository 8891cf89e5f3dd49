import { formatTimecode, type MediaFacts } from '@adit/contracts';
import { filmFacts } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { rateName } from './edit-rate.js';
import { reelsOf } from './reels.js';
import { intervalOf, timelineOf } from './source-timeline.js';

const film = (more: Partial<Extract<MediaFacts, { kind: 'video' }>>): MediaFacts => ({ ...filmFacts(), ...more });
const at = (num: number) => ({ num, den: 1 });
const segment = { frameStart: 10, frameEnd: 19, timeStart: 0.4, timeEnd: 0.76 };

describe('the timeline of a source', () => {
  it.each([
    ['25', film({ fps: { num: 25, den: 1 } }), '25'],
    ['29.97 without timecode, as results count it', film({ fps: { num: 30_000, den: 1001 } }), '29.97 drop-frame'],
    ['29.97 with a timecode in colons', film({ fps: { num: 2997, den: 100 }, startTimecode: '01:00:00:00' }), '29.97'],
    ['a rate that no editor knows', film({ fps: { num: 25, den: 2 } }), '23.976'],
    ['a film whose frames vary', film({ fps: { num: 2899, den: 100 }, variableFrameRate: true }), '29.97'],
  ])('of %s', (_, facts, name) => {
    const timeline = timelineOf(facts);
    expect(timeline === null ? null : rateName(timeline.rate)).toBe(name);
  });

  it('pictures have no timeline', () => {
    expect(timelineOf({ kind: 'image', format: 'jpeg', width: 2, height: 2 })).toBeNull();
  });

  const hour = { num: 30_000, den: 1001 };
  it.each([
    ['pairs of frames', { fps: at(50), startTimecode: '23:59:59:24', timecodeRate: at(25) }, '23:59:59:48'],
    ['half frames', { fps: at(25), startTimecode: '01:00:00:49', timecodeRate: at(50) }, '01:00:00:24'],
    ['more frames than an edit has', { fps: at(120), startTimecode: '10:00:00:119' }, '10:00:00:59'],
    ['frames that last two numbers', { fps: { num: 25, den: 2 }, startTimecode: '10:00:00:20' }, '10:00:00:19'],
    ['frames that vary', { fps: hour, startTimecode: '01:00:00;02', variableFrameRate: true }, '01:00:00;02'],
    [
      'numbers that do not exist at its rate, as results do',
      { fps: at(25), startTimecode: '10:00:00:27' },
      '00:00:00:00',
    ],
    ['a number that drop-frame leaves out', { fps: hour, startTimecode: '01:01:00;00' }, '00:00:00;00'],
    ['hours that no day has', { fps: at(25), startTimecode: '25:00:00:00' }, '00:00:00:00'],
  ])('a timeline begins where its timecode does, of %s', (_, facts, first) => {
    const timeline = timelineOf(film(facts));
    expect(timeline === null ? null : formatTimecode(timeline.firstFrame, timeline.rate)).toBe(first);
  });
});

describe('an interval', () => {
  it('an interval goes by frames where they are those of the film, one more than results name', () => {
    const timeline = timelineOf(film({ fps: { num: 25, den: 1 }, totalFrames: 25 }));
    expect(intervalOf(segment, timeline!, 0)).toEqual({ start: 10, end: 20 });
    expect(intervalOf(segment, timeline!, 8)).toEqual({ start: 2, end: 25 });
    expect(intervalOf(segment, timeline!, 100)).toEqual({ start: 0, end: 25 });
  });

  it('an interval goes by time where they are not, and has a frame at least', () => {
    const timeline = timelineOf(film({ fps: { num: 25, den: 1 }, variableFrameRate: true, duration: 2 }));
    expect(intervalOf({ ...segment, frameStart: 900 }, timeline!, 0)).toEqual({ start: 10, end: 20 });
    const sound = { ...segment, frameStart: null, frameEnd: null };
    expect(intervalOf(sound, timeline!, 0)).toEqual({ start: 10, end: 19 });
    expect(intervalOf({ ...segment, timeStart: 9, timeEnd: 9 }, timeline!, 0)).toEqual({ start: 49, end: 50 });
  });
});

describe('reels', () => {
  it('reels have at most eight letters, no two alike', () => {
    expect(
      reelsOf([
        { name: 'Évening news 2026.mov' },
        { name: 'evening news 2027.mov' },
        { name: '新聞.mov' },
        { name: 'x.mov', reel: 'a017-c001' },
      ]),
    ).toEqual(['EVENING', 'EVENIN_2', 'REEL', 'A017_C00']);
  });

  it('reels are found at once for as many sources as a job may have', () => {
    const began = performance.now();
    const reels = reelsOf(Array.from({ length: 10_000 }, () => ({ name: 'video.mp4' })));
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(new Set(reels).size).toBe(10_000);
    expect(reels.slice(0, 3)).toEqual(['VIDEO', 'VIDEO_2', 'VIDEO_3']);
    expect(reels.filter((reel) => reel.length > 8)).toEqual([]);
  });
});
