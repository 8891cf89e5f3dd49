import { describe, expect, it } from '@jest/globals';
import type { LiveStream } from '@adit/client';
import { conditionOf, faultsOf, rateBetween } from './streams.js';

const stream = (more: Partial<LiveStream>): LiveStream => ({
  ...{ job_id: 'a', source: 'rtsp://a', source_name: 'a', tag: '', state: 'processing', reading: 'reading' },
  ...{
    time_created: '2026-11-30T12:00:00Z',
    time_zero: '2026-11-30T12:00:00Z',
    position: 60,
    lag: 2,
    waiting_parts: 1,
  },
  ...{ frames: 1_500, frame_rate: 25, gap_count: 0, gap_seconds: 0, last_gap: null, recorded: false, segment_count: 0 },
  ...{ previous_part: null, next_part: null },
  ...more,
});

describe('a live stream', () => {
  it.each([
    ['good', {}],
    ['late', { lag: 40 }],
    ['behind', { waiting_parts: 21 }],
    ['connecting', { lag: null }],
    ['waiting', { lag: null, reading: 'waiting' }],
    // Its recorder died: nobody reads it, however far it was.
    ['waiting', { lag: 40, reading: 'waiting' }],
    ['ended', { lag: null, reading: 'ended' }],
  ] as const)('is %s', (condition, more) => {
    expect(conditionOf(stream(more))).toBe(condition);
  });

  it('has the rate of what came since the look before, and none where nothing came', () => {
    expect(rateBetween(undefined, { position: 4, frames: 100 })).toBeNull();
    expect(rateBetween({ position: 4, frames: 100 }, { position: 6, frames: 125 })).toBe(12.5);
    expect(rateBetween({ position: 4, frames: 100 }, { position: 4, frames: 100 })).toBeNull();
    // The next part counts from 0.
    expect(rateBetween({ position: 86_400, frames: 2_160_000 }, { position: 2, frames: 50 })).toBeNull();
  });

  it('a refusal is told beside the field that it is about', () => {
    const errors = [
      { pointer: '/sources/0', message: 'An address needs a port.' },
      { pointer: '/modules/face_recognition/model', message: 'There is no such model.' },
      { pointer: '/priority', message: 'Too high.' },
    ];
    expect(faultsOf(errors, 'Not valid.')).toEqual({
      ...{ address: 'An address needs a port.', modules: 'There is no such model.', other: 'Too high.' },
    });
    expect(faultsOf([], 'The quota is used up.')).toEqual({ other: 'The quota is used up.' });
  });
});
