import { z } from 'zod';
import { TaskState } from './batch.js';
import { Dataset, DatasetType, FaceClustering } from './dataset.js';
import { Model } from './model.js';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** Selection of faces for a training. Landmarks have no parameters. */
export const TrainingConfig = z.strictObject({
  min_face_size: z.int().min(0).max(10_000).optional().describe('Pixels of the smallest side of a face; default 80'),
  sharpness_threshold: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe('Least quality of a face, lower is blurrier; default 40'),
});
export type TrainingConfig = z.infer<typeof TrainingConfig>;

/** POST /v1/trainings/. */
export const TrainingRequest = z.strictObject({
  source_dataset_id: z.string().max(64).describe('Dataset whose active classes and images are learnt'),
  output_model_name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/i, 'expected letters, digits, dots, dashes and underscores, at most 63')
    .describe('A version is added to the workspace’s model of that name'),
  output_model_description: z.string().max(10_000).default('').describe('Purpose of the model; default: empty'),
  output_model_changelog: z.string().max(10_000).default('').describe('Changes in the version; default: empty'),
  config: TrainingConfig.prefault({}).describe('Selection of faces; landmarks have no parameters'),
});
export type TrainingRequest = z.infer<typeof TrainingRequest>;

export const LeftOutReason = z.enum([...FaceClustering.exclude(['match']).options, 'another_person', 'another_place']);
export type LeftOutReason = z.infer<typeof LeftOutReason>;
/** An image that the training did not take. */
export const LeftOutImage = z.strictObject({
  class_id: z.uuid().describe('Class that the image is of'),
  image_id: z.uuid().describe('Id of the image'),
  reason: LeftOutReason.describe('Why it was left out'),
});
export type LeftOutImage = z.infer<typeof LeftOutImage>;

/** Two classes that are hard to tell apart. */
export const ClosePair = z.strictObject({
  class_id: z.uuid().describe('One class'),
  other_class_id: z.uuid().describe('The other class'),
  distance: z.number().describe('Least distance of a photo of one to the other'),
  confused: z.int().describe('Photos held out that were nearer to the other class'),
});
export type ClosePair = z.infer<typeof ClosePair>;

/** Results of a training. Shares are of photos that were held out of a trial before. */
export const TrainingReport = z.strictObject({
  number_of_classes: z.int().describe('Classes of the version'),
  number_of_images: z.int().describe('Images that it was made of'),
  left_out: z.array(LeftOutImage).describe('The first 1000 of them'),
  number_left_out: z.int().describe('Images that were left out in all'),
  threshold: z
    .number()
    .describe('Distance up to which a picture is named without giving any of the dataset the name of another class'),
  held_out: z.int().describe('Photos held out of the trial'),
  named_right: z.int().describe('Number with the name of their class'),
  named_wrong: z.int().describe('Number with the name of another class'),
  unseen: z.int().optional().describe('Photos of classes that were asked of the others, which had never seen them'),
  unseen_named: z.int().optional().describe('Number with a name'),
  closest_pairs: z.array(ClosePair).optional().describe('At most 10'),
});
export type TrainingReport = z.infer<typeof TrainingReport>;

/** A dataset made into a version of a model. */
export const Training = z.strictObject({
  id: z.uuid().describe('Id of the training'),
  type: DatasetType.describe('Type of the dataset'),
  source_dataset_id: z.uuid().describe('Id of the dataset'),
  source_dataset: Dataset.describe('The dataset at the time of the request'),
  output_model_name: z.string().describe('Model that gets a version'),
  output_model_description: z.string().describe('Purpose of the model'),
  output_model_changelog: z.string().describe('Changes in the version'),
  config: TrainingConfig.describe('Selection of faces'),
  state: TaskState.describe('`waiting` and `processing` until it is `completed` or `failed`'),
  error: z.string().describe('Why it failed; empty otherwise'),
  progress: z.number().min(0).max(1).describe('From 0 to 1'),
  duration: z.number().nonnegative().describe('Seconds'),
  time_created: IsoTime.describe('When it was posted'),
  time_started: IsoTime.nullable().describe('When it began; null before'),
  time_completed: IsoTime.nullable().describe('When it ended; null before'),
  output_model: Model.nullable().describe('Null until the training is completed'),
  report: TrainingReport.nullable().describe('Results; null until it is completed'),
});
export type Training = z.infer<typeof Training>;

/** Payload of the events of a training. */
export const EndedTraining = Training.omit({ output_model: true, report: true }).extend({
  output_model_id: z.string().nullable().describe('Model that got a version; null of a training that failed'),
  output_model_version: z.int().nullable().describe('Number of that version; null of a training that failed'),
});
export type EndedTraining = z.infer<typeof EndedTraining>;
export const TrainingPage = pageOf(Training);
