import { exampleClass } from '../datasets/class-routes.js';
import { exampleJob } from '../jobs/job-examples.js';

const [source = ''] = exampleJob.sources;
const of = { source, source_name: 'evening.mp4' };

export const exampleSegments = [
  {
    media_type: 'video',
    frame_start: 10,
    frame_end: 137,
    time_start: 0.4,
    time_end: 5.52,
    tc_start: '00:00:00:10',
    tc_end: '00:00:05:13',
    ...of,
    module: 'face_recognition',
    meta: {
      person: exampleClass.label,
      class_id: exampleClass.id,
      similarity: 0.7113,
      distance: 0.7599,
      mean_similarity: 0.6642,
      mean_distance: 0.8195,
      indexed_identity: null,
    },
    detections: [{ frame_index: 10, type: 'face_bbox', data: { x: 0.41, y: 0.22, w: 0.09, h: 0.17 } }],
    // Shortened: a JPEG has some thousand characters.
    thumbnail: { image: '/9j/4AAQSkZJRg', meta: { width: 96, height: 96 } },
  },
  {
    media_type: 'video',
    frame_start: 10,
    frame_end: 30,
    time_start: 0.4,
    time_end: 1.24,
    tc_start: '00:00:00:10',
    tc_end: '00:00:01:06',
    ...of,
    module: 'speech_recognition',
    meta: {
      text: 'Good evening',
      language: 'en',
      speaker: 'Speaker 1',
      confidence: 0.97,
      words: [
        { text: 'Good', time_start: 0.4, time_end: 0.72, confidence: 0.98 },
        { text: 'evening', time_start: 0.72, time_end: 1.24, confidence: 0.96 },
      ],
    },
    detections: [],
    thumbnail: null,
  },
];

const sum = { ...of, module: 'advanced_diversity_analysis' };
export const exampleSummary = [
  { id: '0', ...sum, type: 'gender_count', meta: { female: 2, male: 1 } },
  { id: '1', ...sum, type: 'person_screen_time', meta: { [exampleClass.label]: 42.4, 'Unknown #1': 6.4 } },
];

const kept = {
  time_created: '2026-11-21T07:00:13.000000Z',
  time_expiration: '2026-11-28T07:00:13.000000Z',
  job_id: exampleJob.id,
};
export const exampleArtifacts = [
  { id: 'b1d7f3a5-2c4e-4968-8a0b-5d9e7c3f1a26', filename: 'results.json', mime_type: 'application/json', ...kept },
  {
    id: 'd8c0a2e4-6f1b-4357-9b8d-3e5a7c9f0b14',
    filename: 'report.html',
    mime_type: 'text/html; charset=utf-8',
    ...kept,
  },
];

export const exampleGap = {
  number: 1,
  time_start: 3604.48,
  time_end: 3611.2,
  time_of_day_start: '2026-11-21T08:00:05.480000Z',
  time_of_day_end: '2026-11-21T08:00:12.200000Z',
  reason: 'The connection broke off.',
};

export const exampleRecording = {
  state: 'recording',
  playlist:
    'https://adit.example.org/api/v1/jobs/8e2d6a1c-3f4b-4c5d-9e8f-7a6b5c4d3e2f/recording/index.m3u8?ticket=1795219200.4c6f8e2a-1b3d-4f5a-8c7e-9d0b2a4c6e8f.J2n5c8wQeXk3m7tRz0uYb1aVhLpG4dSf6iOqWxCvBnM',
  time_expires: '2026-11-21T20:00:00.000000Z',
  minutes: 60,
  time_start: '2026-11-21T07:00:04.120000Z',
  time_end: '2026-11-21T08:00:04.120000Z',
  duration: 3600,
  size: 1350000000,
  segment_count: 900,
};
