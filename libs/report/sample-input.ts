import type { Job } from '@adit/contracts';
import type { ReportInput, ReportSegment } from './report-input.js';

/** A finished job of one film, for the specs of this package. */
export function sampleJob(overrides: Partial<Job> = {}): Job {
  return {
    id: '7b0c9d6e-64d5-4d2f-9f64-2a8b7bb0a9f1',
    tag: '',
    state: 'completed',
    errors: [],
    progress: 1,
    duration: 13.4,
    time_created: '2026-01-02T03:04:05.000000Z',
    time_started: null,
    time_completed: null,
    sources: ['/films/one.mp4'],
    source_names: ['one.mp4'],
    source_count: 1,
    link: 'http://127.0.0.1/y',
    modules: { face_recognition: { model: 'team', state: 'completed', progress: 1 } },
    media_type: 'video',
    ttl: null,
    priority: 5,
    batch: null,
    result: { detailed_link: 'http://127.0.0.1/x', summary: [] },
    webhook: null,
    ...overrides,
  };
}

export function sampleSegment(overrides: Partial<ReportSegment> = {}): ReportSegment {
  return {
    module: 'face_recognition',
    type: 'face',
    label: 'Anna',
    sourceIndex: 0,
    timeStart: 1,
    timeEnd: 4,
    tcStart: '00:00:01:00',
    tcEnd: '00:00:04:00',
    frameStart: 25,
    frameEnd: 100,
    confidence: 0.9,
    meta: { person: 'Anna', similarity: 0.9, distance: 0.45 },
    detections: [
      { frame_index: 25, type: 'face_bbox', data: { x: 0.1, y: 0.2, w: 0.3, h: 0.4 } },
      { frame_index: 60, type: 'face_bbox', data: { x: 0.5, y: 0.2, w: 0.3, h: 0.4 } },
    ],
    thumbnail: null,
    keyFrame: null,
    ...overrides,
  };
}

export function sampleInput(segments: ReportSegment[], job: Partial<Job> = {}): ReportInput {
  return {
    job: sampleJob(job),
    sources: [
      { source: '/films/one.mp4', name: 'one.mp4', mediaType: 'video', fps: 25, resolution: [640, 360], duration: 60 },
    ],
    segments,
  };
}
