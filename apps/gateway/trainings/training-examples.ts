import { exampleDataset } from '../datasets/dataset-routes.js';
import { exampleModel } from '../models/model-routes.js';

/** The dataset once it has classes and pictures, all of them evaluated. */
const dataset = {
  ...exampleDataset,
  version: 37,
  number_of_classes: 2,
  number_of_active_classes: 2,
  number_of_images: 24,
  number_of_active_images: 24,
  evaluation_state: 1,
};

export const exampleTraining = {
  id: 'f7b1d4e5-9a6c-4d8f-8bae-3a4c5d6e7f80',
  type: 'face' as const,
  source_dataset_id: dataset.id,
  source_dataset: dataset,
  output_model_name: 'newsroom',
  output_model_description: '',
  output_model_changelog: '',
  config: {},
  state: 'waiting' as const,
  error: '',
  progress: 0,
  duration: 0,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_started: null,
  time_completed: null,
  output_model: null,
  report: null,
};

const version = {
  ...exampleModel.latest_version,
  time_created: '2026-11-21T07:00:09.000000Z',
  source_dataset: dataset,
  digest: 'c41e7b9d20f58a6347e1c9b3d5f80a2e6c4b7d91f3a5e8027c6d4b9f1e3a5c70',
};
export const exampleEndedTraining = {
  ...exampleTraining,
  state: 'completed' as const,
  progress: 1,
  duration: 8,
  time_started: '2026-11-21T07:00:01.000000Z',
  time_completed: version.time_created,
  output_model: {
    ...exampleModel,
    id: '5d9c3e71-8b0a-5f26-9c4d-2e7b1a6f8d03',
    name: exampleTraining.output_model_name,
    description: '',
    custom_fields: [],
    versions: [version],
    latest_version: version,
    time_created: version.time_created,
    time_updated: version.time_created,
    scope: 'workspace' as const,
    origin: 'a training of a dataset',
  },
  report: {
    number_of_classes: 2,
    number_of_images: 23,
    left_out: [
      {
        class_id: '2b1f0c9e-64ad-4f0a-9f43-7d7c7e0a5b21',
        image_id: '6c7b0d1e-93a1-4f57-8f8d-0e9c1b2a3d4e',
        reason: 'too_blurred' as const,
      },
    ],
    number_left_out: 1,
    threshold: 1.02,
    held_out: 5,
    named_right: 5,
    named_wrong: 0,
  },
};
