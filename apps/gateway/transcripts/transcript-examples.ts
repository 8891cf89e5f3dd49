import { exampleClass } from '../datasets/class-routes.js';
import { exampleEndedJob } from '../jobs/job-examples.js';
import { exampleKey } from '../keys/key-routes.js';

const [source = ''] = exampleEndedJob.sources;
const made = { time_created: '2026-11-21T07:10:00.000000Z', time_updated: '2026-11-21T07:20:00.000000Z' };

export const transcript = {
  id: 'c4e8a1b2-6d3f-4a5c-9e7b-0d1f2a3b4c5d',
  tag: exampleEndedJob.tag,
  job: { ...exampleEndedJob, is_synced_to_kg: false },
  source,
  ...made,
};

export const access = {
  scopes: ['transcript.read', 'transcript.write', 'export.read', 'export.write'],
  media: { filename: 'evening.mp4', content_type: 'video/mp4', size: 7_340_032 },
};

/** A variant with its paragraphs. */
export const variant = {
  id: 'd5f9b2c3-7e4a-4b6d-8f8c-1e2a3b4c5d6e',
  name: 'original',
  language: 'en',
  latest_version: 4,
  ...made,
};
/** Added for a person to translate. */
export const german = {
  id: '27a9c1e3-5b7d-4f80-9a2c-4e6b8d0f1a3c',
  name: 'de',
  language: 'de',
  latest_version: 1,
  time_created: made.time_updated,
  time_updated: made.time_updated,
};

/** The version that the edit below made. */
export const version = {
  id: '90c2e4a6-8d1f-4b35-b7d9-6f0a2c4e8b1d',
  version: 4,
  time_created: made.time_updated,
  paragraph_count: 12,
  author: exampleKey.name,
  restored_version: null,
};

export const edited = { text: 'Good evening.', speaker: exampleClass.label };
export const paragraph = {
  id: 'e6a0c3d4-8f5b-4c7e-9a9d-2f3b4c5d6e7f',
  index: 0,
  revision: version.version,
  ...edited,
  time_start: 0.4,
  time_end: 1.24,
  words: [
    { text: 'Good', time_start: 0.4, time_end: 0.72, confidence: 0.98 },
    { text: 'evening.', time_start: 0.72, time_end: 1.24, confidence: 1 },
  ],
};

const { index: _index, words: _words, ...after } = paragraph;
/** Between versions 3 and 4. */
export const difference = {
  id: paragraph.id,
  kind: 'changed',
  before: { ...after, revision: 1, text: 'Good evening', speaker: 'Speaker 1' },
  after,
  words: [
    { kind: 'same', text: 'Good' },
    { kind: 'removed', text: 'evening' },
    { kind: 'added', text: 'evening.' },
  ],
};
