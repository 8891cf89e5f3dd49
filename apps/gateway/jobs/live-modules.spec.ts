import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import type { ResolvedModule } from '@adit/jobs';
import { checkLiveModules } from './live-modules.js';

const asked = (track: string | null, range: ResolvedModule['range'] = null): ResolvedModule => ({
  ...{ moduleId: 'heard', postedAs: 'heard', args: {}, range, models: [], media: ['video'] },
  analyses: [
    {
      ...{ analysis: 'any', family: 'any', digest: 'd', args: {}, frames: [], models: [] },
      ...(track !== null && { audio: [{ sampleRate: 16_000, channels: 1 as const, overlapSeconds: 0, track }] }),
    },
  ],
});
const errorsOf = (module: ResolvedModule, mayBeFilm = false): unknown => {
  try {
    checkLiveModules([module], { mayBeFilm });
    return [];
  } catch (error) {
    return AditError.from(error).options.errors;
  }
};

describe('the modules of a live stream', () => {
  it('take ranges of seconds, and none of frames', () => {
    expect(errorsOf(asked(null, { time_start: 10, time_end: 60 }))).toEqual([]);
    expect(errorsOf(asked(null, { frame_start: 0, frame_end: 100 }))).toMatchObject([
      { pointer: '/modules/heard/range' },
    ]);
  });

  it('hear one track of sound, unless the playlist may be that of a film', () => {
    expect(errorsOf(asked('1'))).toEqual([]);
    expect(errorsOf(asked('all'))).toMatchObject([
      { pointer: '/modules/heard/audio_track', message: expect.stringContaining('one track') },
    ]);
    expect(errorsOf(asked('all'), true)).toEqual([]);
  });
});
