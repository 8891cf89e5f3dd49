import { JobRequest } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { checkEvents } from './job-events.js';

function asks(event: string, ...modules: string[]): JobRequest {
  const webhook = { callback: 'https://example.org/hook', events: [event] };
  const named = Object.fromEntries(modules.map((module) => [module, {}]));
  return JobRequest.parse({ sources: ['a'], modules: named, webhook });
}

describe('segments that start and end', () => {
  it.each(['job.on_segment_start', 'job.face_recognition.on_segment_end'])(
    'can be asked for of a live stream, of every module: %s',
    (event) => {
      expect(() => checkEvents(asks(event, 'face_recognition'), 'videostream')).not.toThrow();
      expect(() => checkEvents(asks(event, 'face_recognition'), 'video')).toThrow(/never raises/);
    },
  );

  it('can be asked for of landmarks, whatever the source is', () => {
    const event = 'job.landmark_recognition.on_segment_start';
    expect(() => checkEvents(asks(event, 'landmark_recognition'), 'video')).not.toThrow();
    expect(() => checkEvents(asks(event, 'face_recognition'), 'videostream')).toThrow(/never raises/);
  });
});
