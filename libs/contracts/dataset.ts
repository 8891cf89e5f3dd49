import { z } from 'zod';
import { CustomFields } from './custom-fields.js';
import { pageOf } from './pagination.js';
import { IsoTime } from './time.js';

/** What a dataset teaches: faces of people, or landmarks. */
export const DatasetType = z.enum(['face', 'landmark']);
export type DatasetType = z.infer<typeof DatasetType>;

/** What the models that are installed tell of a face; null for what none of them tells. */
export const FaceAttributes = z.strictObject({
  emotion: z.string().nullable(),
  smile: z.boolean().nullable(),
  eyeglasses: z.boolean().nullable(),
  sunglasses: z.boolean().nullable(),
  eyesopen: z.boolean().nullable(),
  mouthopen: z.boolean().nullable(),
  beard: z.boolean().nullable(),
  mustache: z.boolean().nullable(),
  roll: z.number().nullable().describe('Degrees'),
  yaw: z.number().nullable().describe('Degrees'),
  pitch: z.number().nullable().describe('Degrees'),
});
export type FaceAttributes = z.infer<typeof FaceAttributes>;

/**
 * How an image stands to the others of its class. match: the same person · outlier: another one · duplicate: shows nothing that
 * an earlier image does not · the rest: why its face cannot be used.
 */
export const FaceClustering = z.enum([
  'match',
  'outlier',
  'duplicate',
  'no_face',
  'several_faces',
  'too_small',
  'too_blurred',
  'unreadable',
]);
export type FaceClustering = z.infer<typeof FaceClustering>;

/** Empty until the image has been evaluated. */
export const ImageEvaluation = z.strictObject({
  face_attributes: FaceAttributes.nullable().optional().describe('Of the largest face; null without one'),
  face_clustering: FaceClustering.optional(),
});
export type ImageEvaluation = z.infer<typeof ImageEvaluation>;

/** A picture of a class. */
export const DatasetImage = z.strictObject({
  id: z.uuid(),
  file_uri: z.string(),
  time_created: IsoTime,
  time_updated: IsoTime,
  active: z.boolean().describe('Inactive images are left out of trainings'),
  notes: z.string(),
  is_auto_generated: z.boolean().describe('A job found it by its lower third'),
  evaluation_result: ImageEvaluation,
});
export type DatasetImage = z.infer<typeof DatasetImage>;
export const DatasetImagePage = pageOf(DatasetImage);

const meanAndDeviation = z.array(z.number()).length(2);
/** Mean and standard deviation in degrees. */
export const HeadPoseStatistics = z.strictObject({
  yaw_mean_std: meanAndDeviation,
  pitch_mean_std: meanAndDeviation,
});
export const AttributeStatistics = z.strictObject({ head_pose: HeadPoseStatistics });
/** Empty until the class has been evaluated. */
export const ClassEvaluation = z.strictObject({ attribute_statistics: AttributeStatistics.optional() });
export type ClassEvaluation = z.infer<typeof ClassEvaluation>;

/** A person or a landmark that a dataset teaches. */
export const DatasetClass = z.strictObject({
  id: z.uuid(),
  reference: z.string().describe('The client’s own id, unique within the dataset'),
  label: z.string(),
  preview_image: DatasetImage.nullable().describe('Its first image'),
  time_created: IsoTime,
  time_updated: IsoTime,
  time_evaluated: z.record(z.string(), IsoTime).describe('By evaluator'),
  active: z.boolean().describe('Inactive classes are left out of trainings'),
  notes: z.string(),
  expiration_date: IsoTime.nullable().describe('From then on it is left out of trainings'),
  level: z.number(),
  number_of_images: z.int().nonnegative(),
  custom_fields: CustomFields,
  type: DatasetType,
  evaluation_result: ClassEvaluation,
});
export type DatasetClass = z.infer<typeof DatasetClass>;
export const DatasetClassPage = pageOf(DatasetClass);

/** An image that something is wrong with. */
export const IssueImage = z.strictObject({ class_id: z.uuid(), image_id: z.uuid() });
export const IssueLevel = z.enum(['error', 'warning']);
/** One thing that is wrong with a dataset: a training fails for an error, and goes on in spite of a warning. */
export const DatasetIssue = z.strictObject({
  level: IssueLevel,
  code: z.string(),
  message: z.string(),
  number_of_images: z.int().nonnegative(),
  images: z.array(IssueImage).describe('The first of them'),
});
export type DatasetIssue = z.infer<typeof DatasetIssue>;
export const DatasetIssues = z.strictObject({
  has_error: z.boolean(),
  has_warning: z.boolean(),
  reasons: z.array(DatasetIssue),
});
export type DatasetIssues = z.infer<typeof DatasetIssues>;

/** Empty until something has been evaluated. */
export const DatasetEvaluation = z.strictObject({
  gender_statistics: z
    .record(z.string(), z.int())
    .optional()
    .describe('Classes by the gender most of their faces look like'),
});
export type DatasetEvaluation = z.infer<typeof DatasetEvaluation>;

const count = z.int().nonnegative();

/** Classes of images, from which a training makes a model. */
export const Dataset = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  type: DatasetType,
  version: z.int().positive().describe('Grows with each change of the dataset, its classes or images'),
  time_created: IsoTime,
  time_updated: IsoTime,
  number_of_classes: count,
  number_of_active_classes: count,
  number_of_images: count,
  number_of_active_images: count.describe('Active images of active classes'),
  preview_images: z.array(z.string()).describe('The first image of each of the first three classes'),
  evaluation_result: DatasetEvaluation,
  evaluation_state: z.number().min(0).max(1).describe('The part of its images that has been evaluated'),
  issues: DatasetIssues,
});
export type Dataset = z.infer<typeof Dataset>;
export const DatasetPage = pageOf(Dataset);

const name = z.string().trim().min(1).max(255);
const description = z.string().max(10_000);
const notes = z.string().max(10_000);

/** POST /v1/datasets/. */
export const DatasetRequest = z.strictObject({
  name,
  description: description.default(''),
  type: DatasetType,
});
export type DatasetRequest = z.infer<typeof DatasetRequest>;
/** PUT /v1/datasets/{id}/. */
export const DatasetReplacement = z.strictObject({ name, description: description.default('') });
export type DatasetReplacement = z.infer<typeof DatasetReplacement>;
/** PATCH /v1/datasets/{id}/. */
export const DatasetChange = z.strictObject({ name: name.optional(), description: description.optional() });
export type DatasetChange = z.infer<typeof DatasetChange>;

const reference = z.string().trim().min(1).max(255);
/** A moment with its zone, or a day (its beginning, UTC). */
const expiration = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/,
    'expected a day, or a time with its zone',
  )
  .refine((text) => isBetween(1, new Date(text).getUTCFullYear(), 9999), 'there is no such time')
  .meta({ format: 'date-time', pattern: undefined })
  .nullable();

function isBetween(least: number, value: number, most: number): boolean {
  return value >= least && value <= most;
}

const classFields = {
  label: name,
  active: z.boolean(),
  notes,
  expiration_date: expiration,
  level: z.number().min(-1e9).max(1e9),
  custom_fields: CustomFields,
};
/** POST and PUT of a class. */
export const ClassRequest = z.strictObject({
  label: name,
  reference: reference.optional().describe('Default: a UUID'),
  active: classFields.active.default(true),
  notes: notes.default(''),
  expiration_date: expiration.default(null),
  level: classFields.level.default(0),
  custom_fields: CustomFields.default([]),
});
export type ClassRequest = z.infer<typeof ClassRequest>;
export const ClassChange = z.strictObject({ ...classFields, reference }).partial();
export type ClassChange = z.infer<typeof ClassChange>;

const fileUri = z.string().max(2048).describe('storage:// address of an uploaded picture');
/** POST of an image as JSON. */
export const ImageRequest = z.strictObject({
  file_uri: fileUri,
  active: z.boolean().default(true),
  notes: notes.default(''),
});
export type ImageRequest = z.infer<typeof ImageRequest>;
/** POST of an image as JSON: a stored picture, or what a segment of a job shows. */
export const NewImageRequest = ImageRequest.extend({
  file_uri: fileUri.optional(),
  job_id: z.uuid().optional().describe('With `segment_id`: the image is what that segment shows'),
  segment_id: z
    .int()
    .nonnegative()
    .max(2 ** 31 - 1)
    .optional()
    .describe('Its place among all detailed results of the job, from 0'),
}).refine(
  ({ file_uri: file, job_id: job, segment_id: segment }) =>
    file === undefined ? job !== undefined && segment !== undefined : job === undefined && segment === undefined,
  { path: ['file_uri'], message: 'expected either file_uri, or job_id and segment_id' },
);
export type NewImageRequest = z.infer<typeof NewImageRequest>;
/** PUT of an image; without `file_uri` it keeps its file. */
export const ImageReplacement = ImageRequest.extend({ file_uri: fileUri.optional() });
export type ImageReplacement = z.infer<typeof ImageReplacement>;
export const ImageChange = z.strictObject({
  file_uri: fileUri.optional(),
  active: z.boolean().optional(),
  notes: notes.optional(),
});
export type ImageChange = z.infer<typeof ImageChange>;
