import { exampleJob } from '../jobs/job-examples.js';

const [source = ''] = exampleJob.sources;

export const exampleSearch = {
  total: 1,
  total_is_exact: true,
  offset: 0,
  limit: 10,
  next: null,
  prev: null,
  fuzzy: true,
  fuzzy_is_complete: true,
  facets: null,
  data: [
    {
      job_id: exampleJob.id,
      number: 1,
      transcript: null,
      link: `https://adit.example.com/api/v1/jobs/${exampleJob.id}/detailed-results/?offset=1&limit=1`,
      source,
      source_name: 'evening.mp4',
      source_index: 0,
      media_type: 'video',
      module: 'speech_recognition',
      type: 'speech',
      language: 'en',
      frame_start: 10,
      frame_end: 30,
      time_start: 0.4,
      time_end: 1.24,
      tc_start: '00:00:00:10',
      tc_end: '00:00:01:06',
      exact: true,
      matches: [
        { field: 'said', text: 'Good evening', words: [{ start: 5, end: 12 }] },
        { field: 'who', text: 'Speaker 1', words: [] },
      ],
      likeness: null,
      thumbnail: null,
      tag: 'news',
      batch_id: null,
      time_created: '2026-11-21T07:00:00.000000Z',
    },
  ],
};
