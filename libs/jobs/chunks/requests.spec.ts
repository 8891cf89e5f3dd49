import { AUDIO_MESSAGE_VERSION, extentOf, MESSAGE_VERSION, storedExtent, type Extent } from '@adit/contracts';
import { envelopeText } from '@adit/outbox';
import { describe, expect, it } from '@jest/globals';
import { extentName } from '../keys.js';
import { chunkRequest, sourceRequest } from './requests.js';

const versionsOf = (listens: boolean): unknown[] => {
  const job = { jobId: 'job', traceparent: null, listens };
  return [sourceRequest(job, 0), chunkRequest(job, { id: 'chunk', sourceStart: 0 })].map(
    (message) => (JSON.parse(envelopeText(message)) as { version?: number }).version,
  );
};

describe('requests while builds change', () => {
  it('of jobs with audio go to builds that know audio; all others stay as the first builds wrote them', () => {
    expect(versionsOf(true)).toEqual([AUDIO_MESSAGE_VERSION, AUDIO_MESSAGE_VERSION]);
    expect(AUDIO_MESSAGE_VERSION).toBeLessThanOrEqual(MESSAGE_VERSION);
    expect(versionsOf(false)).toEqual([undefined, undefined]);
  });

  it('have extents as the first builds stored them, and audio in fields of its own', () => {
    const interval = { frameStart: 0, frameEnd: 25, ptsStart: 0, ptsEnd: 25, seekPts: 0 };
    const extents: [Extent, stored: unknown, name: string][] = [
      [{ kind: 'image' }, null, 'image'],
      [{ kind: 'image', page: 0 }, { kind: 'image', page: 0 }, 'page-0'],
      [{ kind: 'video', interval }, interval, '0-25'],
      [{ kind: 'video', interval: { ...interval, first: true } }, { ...interval, first: true }, 'from-0-25'],
      [{ kind: 'audio', interval: { startMs: 0, endMs: 25 } }, { kind: 'audio', startMs: 0, endMs: 25 }, 'audio-0-25'],
    ];
    for (const [extent, stored, name] of extents) {
      expect(storedExtent(extent)).toEqual(stored);
      expect(extentOf(storedExtent(extent))).toEqual(extent);
      expect(extentName(extent)).toBe(name);
    }
  });
});
