import { DEFAULT_COLLECTION, type JobState } from '@adit/contracts';
import { exampleEmbedding } from '../indexes/collection-routes.js';
import { exampleModel } from '../models/model-routes.js';
import { exampleQuota } from '../usage/usage-routes.js';

const source = 'storage://x6BfU3o0gkq2mZr9TtYw';
const link = 'https://adit.example.org/api/v1/jobs/0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11/';

export const exampleRequest = {
  sources: [source],
  modules: {
    face_recognition: { model: 'team', max_distance: 1 },
    advanced_diversity_analysis: { model: 'team' },
    speech_recognition: { language: 'en', word_level_timestamps: true },
  },
  tag: 'news-2026-11-21',
};

/** State of each module at that moment. */
function modulesAt(at: { state: JobState; progress: number }) {
  const { modules } = exampleRequest;
  return Object.fromEntries(Object.entries(modules).map(([id, args]) => [id, { ...args, dictionaries: [], ...at }]));
}

export const exampleJob = {
  id: '0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11',
  tag: exampleRequest.tag,
  state: 'waiting' as const,
  errors: [],
  progress: 0,
  duration: 0,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_started: null,
  time_completed: null,
  sources: [source],
  source_names: ['evening.mp4'],
  source_count: 1,
  link,
  modules: modulesAt({ state: 'waiting', progress: 0 }),
  media_type: 'video' as const,
  ttl: null,
  priority: 5,
  batch: null,
  result: { detailed_link: `${link}detailed-results/`, summary: [] },
  webhook: null,
};

export const exampleStoppedJob = {
  ...exampleJob,
  state: 'stopped' as const,
  time_completed: '2026-11-21T07:00:02.000000Z',
  modules: modulesAt({ state: 'stopped', progress: 0 }),
};

export const exampleEndedJob = {
  ...exampleJob,
  state: 'completed' as const,
  progress: 1,
  duration: 12.5,
  time_started: '2026-11-21T07:00:01.000000Z',
  time_completed: '2026-11-21T07:00:13.500000Z',
  modules: modulesAt({ state: 'completed', progress: 1 }),
  result: {
    detailed_link: `${link}detailed-results/`,
    summary: [
      {
        source,
        source_name: 'evening.mp4',
        media_type: 'video' as const,
        info: { fps: 25, resolution: [1280, 720], total_frames: 1500, duration: 60 },
        items: [{ type: 'face', label: 'Ada Lovelace', module: 'face_recognition' }],
      },
    ],
  },
};

/** The job of this request, which has one module alone. */
export const exampleShortRequest = { sources: [source], modules: { face_recognition: { model: 'team' } } };
const { latest_version: team } = exampleModel;
export const exampleDryRun = {
  media_type: 'video',
  modules: {
    face_recognition: {
      module: 'face_recognition',
      arguments: {
        model: 'team',
        dictionaries: [],
        max_distance: 1,
        cluster_unknowns: false,
        index_unknowns: false,
        index_collection: DEFAULT_COLLECTION,
        face_detection_scale: 600,
        enable_top_k: false,
        top_k: 3,
      },
      models: [{ name: 'team', version: team.version_number, digest: team.digest }],
      analyses: [
        {
          analysis: 'faces',
          digest: '3c7a9e10b2d4f6581a0c2e4b6d8f1a3c5e7092b4d6f8a1c3e5f7092b4d6f8a1c',
          models: [{ name: exampleEmbedding.model, version: 1, digest: exampleEmbedding.digest }],
        },
      ],
    },
  },
  sources: [
    {
      source,
      facts: {
        kind: 'video',
        container: 'mov,mp4,m4a,3gp,3g2,mj2',
        codec: 'h264',
        stream: 0,
        width: 1280,
        height: 720,
        fps: { num: 25, den: 1 },
        variableFrameRate: false,
        totalFrames: 1500,
        duration: 60,
        timeBase: { num: 1, den: 12_800 },
        startPts: 0,
        startTimecode: null,
        rotation: 0,
        interlaced: false,
        sampleAspectRatio: { num: 1, den: 1 },
        bitDepth: 8,
        hdr: false,
        audioStreams: [{ stream: 1, codec: 'aac', channels: 2, sampleRate: 48_000, language: 'en' }],
      },
      error: null,
    },
  ],
  estimate: { media_seconds: 60, pictures: 0 },
  quotas: [{ ...exampleQuota, expected: 60 }],
};
