import type { MediaFacts } from '@adit/contracts';
import { filmFacts } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { rateName } from './edit-rate.js';
import { reelsOf } from './reels.js';
import { stretchOf, timelineOf } from './source-timeline.js';

const film = (more: Partial<Extract<MediaFacts, { kind: 'video' }>>): MediaFacts => ({ ...filmFacts(), ...more });
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

  it('is none of pictures', () => {
    expect(timelineOf({ kind: 'image', format: 'jpeg', width: 2, height: 2 })).toBeNull();
  });

  it('begins where its timecode does, also where that counts pairs of frames', () => {
    const fps = { num: 50, den: 1 };
    expect(timelineOf(film({ fps, startTimecode: '00:00:10:05', timecodeRate: { num: 25, den: 1 } }))?.firstFrame).toBe(
      510,
    );
    expect(timelineOf(film({ fps, startTimecode: '00:00:10:05' }), { startTimecode: '00:00:01:00' })?.firstFrame).toBe(
      50,
    );
    expect(() => timelineOf(film({ fps }), { startTimecode: '00:00:01:99' })).toThrow('does not exist');
  });
});

describe('a stretch', () => {
  it('goes by frames where they are those of the film, one more than results name', () => {
    const timeline = timelineOf(film({ fps: { num: 25, den: 1 }, totalFrames: 25 }));
    expect(stretchOf(segment, timeline!, 0)).toEqual({ start: 10, end: 20 });
    expect(stretchOf(segment, timeline!, 8)).toEqual({ start: 2, end: 25 });
    expect(stretchOf(segment, timeline!, 100)).toEqual({ start: 0, end: 25 });
  });

  it('goes by time where they are not, and has a frame at least', () => {
    const timeline = timelineOf(film({ fps: { num: 25, den: 1 }, variableFrameRate: true, duration: 2 }));
    expect(stretchOf({ ...segment, frameStart: 900 }, timeline!, 0)).toEqual({ start: 10, end: 19 });
    expect(stretchOf({ ...segment, timeStart: 9, timeEnd: 9 }, timeline!, 0)).toEqual({ start: 49, end: 50 });
  });
});

describe('reels', () => {
  it('have at most eight letters, no two alike', () => {
    expect(
      reelsOf([
        { name: 'Évening news 2026.mov' },
        { name: 'evening news 2027.mov' },
        { name: '新聞.mov' },
        { name: 'x.mov', reel: 'a017-c001' },
      ]),
    ).toEqual(['EVENING', 'EVENIN_2', 'REEL', 'A017_C00']);
  });
});
