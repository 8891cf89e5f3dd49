import { z } from 'zod';
import { CustomFields } from '../values/custom-fields.js';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** Kind of a dataset: faces of people, or landmarks. */
export const DatasetType = z.enum(['face', 'landmark']);
export type DatasetType = z.infer<typeof DatasetType>;

/** Attributes of a face from the installed models; null if no model reports it. */
export const FaceAttributes = z.strictObject({
  emotion: z
    .string()
    .nullable()
    .describe('The expression, such as `happy` or `neutral`; null where it is not sure, or seen from the side'),
  smile: z.boolean().nullable().describe('Whether the face smiles; null where the expression is not known'),
  eyeglasses: z.boolean().nullable().describe('Always null: no model that is installed tells'),
  sunglasses: z.boolean().nullable().describe('Always null: no model that is installed tells'),
  eyesopen: z
    .boolean()
    .nullable()
    .describe('Whether the eyes are open; null where it is not sure, or seen from the side'),
  mouthopen: z
    .boolean()
    .nullable()
    .describe('Whether the mouth is open; null where it is not sure, or seen from the side'),
  beard: z.boolean().nullable().describe('Always null: no model that is installed tells'),
  mustache: z.boolean().nullable().describe('Always null: no model that is installed tells'),
  roll: z.number().nullable().describe('Degrees'),
  yaw: z.number().nullable().describe('Degrees'),
  pitch: z.number().nullable().describe('Degrees'),
});
export type FaceAttributes = z.infer<typeof FaceAttributes>;

/**
 * Relation of an image to the others of its class. match: the same person · outlier: another one · duplicate: shows
 * nothing that an earlier image does not · the rest: why its face cannot be used.
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
  face_attributes: FaceAttributes.nullable().optional().describe('Attributes of the largest face; null without one'),
  face_clustering: FaceClustering.optional().describe(
    'Relation to the other images of its class, or the reason why its face cannot be used',
  ),
});
export type ImageEvaluation = z.infer<typeof ImageEvaluation>;

/** A picture of a class. */
export const DatasetImage = z.strictObject({
  id: z.uuid().describe('Id of the image'),
  file_uri: z.string().describe('storage:// address of the picture'),
  time_created: IsoTime.describe('When it was added'),
  time_updated: IsoTime.describe('When it was changed last'),
  active: z.boolean().describe('Inactive images are left out of trainings'),
  notes: z.string().describe('Notes of its owner; may be empty'),
  is_auto_generated: z.boolean().describe('A job found it by its lower third'),
  evaluation_result: ImageEvaluation.describe('Result of the evaluation; empty before it'),
});
export type DatasetImage = z.infer<typeof DatasetImage>;
export const DatasetImagePage = pageOf(DatasetImage);

const meanAndDeviation = z.array(z.number()).length(2);
/** Mean and standard deviation in degrees. */
export const HeadPoseStatistics = z.strictObject({
  yaw_mean_std: meanAndDeviation.describe('Mean and standard deviation of the turn to the side, in degrees'),
  pitch_mean_std: meanAndDeviation.describe('Mean and standard deviation of the nod, in degrees'),
});
export const AttributeStatistics = z.strictObject({
  head_pose: HeadPoseStatistics.describe('Head poses of its images'),
});
/** Empty until the class has been evaluated. */
export const ClassEvaluation = z.strictObject({
  attribute_statistics: AttributeStatistics.optional().describe(
    'Statistics over its images; left out until they have been evaluated',
  ),
});
export type ClassEvaluation = z.infer<typeof ClassEvaluation>;

/** A person or a landmark that a dataset teaches. */
export const DatasetClass = z.strictObject({
  id: z.uuid().describe('Id of the class'),
  reference: z.string().describe('The client’s own id, unique within the dataset'),
  label: z.string().describe('Name of the person or landmark'),
  preview_image: DatasetImage.nullable().describe('Its first image'),
  time_created: IsoTime.describe('When it was created'),
  time_updated: IsoTime.describe('When it was changed last'),
  time_evaluated: z.record(z.string(), IsoTime).describe('By evaluator'),
  active: z.boolean().describe('Inactive classes are left out of trainings'),
  notes: z.string().describe('Notes of its owner; may be empty'),
  expiration_date: IsoTime.nullable().describe('From then on it is left out of trainings'),
  level: z.number().describe('1 of a class that a lower third made; 0, or what its owner chose, of others'),
  number_of_images: z.int().nonnegative().describe('Images in it, inactive ones included'),
  custom_fields: CustomFields.describe(
    'Objects of your own, kept as they are; of landmarks, `type`, `latitude`, `longitude` and `location` are read',
  ),
  type: DatasetType.describe('Type of its dataset'),
  evaluation_result: ClassEvaluation.describe('Summary of the evaluated images; empty before'),
});
export type DatasetClass = z.infer<typeof DatasetClass>;
export const DatasetClassPage = pageOf(DatasetClass);

/** An image that something is wrong with. */
export const IssueImage = z.strictObject({
  class_id: z.uuid().describe('Class that the image is of'),
  image_id: z.uuid().describe('Id of the image'),
});
export const IssueLevel = z.enum(['error', 'warning']);
/** One thing that is wrong with a dataset: a training fails for an error, and goes on in spite of a warning. */
export const DatasetIssue = z.strictObject({
  level: IssueLevel.describe('`error`: a training would fail; `warning`: it goes on'),
  code: z.string().describe('Kind of fault, in one word for programs'),
  message: z.string().describe('Description of the fault for people'),
  number_of_images: z.int().nonnegative().describe('Number of images concerned; 0 if it concerns classes'),
  images: z.array(IssueImage).describe('The first of them'),
});
export type DatasetIssue = z.infer<typeof DatasetIssue>;
export const DatasetIssues = z.strictObject({
  has_error: z.boolean().describe('Whether one of the reasons is an error'),
  has_warning: z.boolean().describe('Whether one of the reasons is a warning'),
  reasons: z.array(DatasetIssue).describe('All that is wrong'),
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
  id: z.uuid().describe('Id of the dataset'),
  name: z.string().describe('Name of the dataset'),
  description: z.string().describe('Description by its owner; may be empty'),
  type: DatasetType.describe('`face` trains models of people only, `landmark` of landmarks only'),
  version: z.int().positive().describe('Grows with each change of the dataset, its classes or images'),
  time_created: IsoTime.describe('When it was created'),
  time_updated: IsoTime.describe('When it, its classes or images were changed last'),
  number_of_classes: count.describe('Classes in it'),
  number_of_active_classes: count.describe('Classes that trainings take'),
  number_of_images: count.describe('Images in all classes'),
  number_of_active_images: count.describe('Active images of active classes'),
  preview_images: z.array(z.string()).describe('The first image of each of the first three classes'),
  evaluation_result: DatasetEvaluation.describe('Summary of the evaluated images; empty before'),
  evaluation_state: z.number().min(0).max(1).describe('The part of its images that has been evaluated'),
  issues: DatasetIssues.describe('Its problems'),
});
export type Dataset = z.infer<typeof Dataset>;
export const DatasetPage = pageOf(Dataset);

const name = z.string().trim().min(1).max(255);
const description = z.string().max(10_000);
const notes = z.string().max(10_000);

/** POST /v1/datasets/. */
export const DatasetRequest = z.strictObject({
  name: name.describe('Name of the dataset, 1 to 255 characters'),
  description: description.default('').describe('Description; default: empty'),
  type: DatasetType.describe('`face` for people, `landmark` for landmarks; it stays'),
});
export type DatasetRequest = z.infer<typeof DatasetRequest>;
/** PUT /v1/datasets/{id}/. */
export const DatasetReplacement = z.strictObject({
  name: name.describe('Name of the dataset, 1 to 255 characters'),
  description: description.default('').describe('Description; default: empty'),
});
export type DatasetReplacement = z.infer<typeof DatasetReplacement>;
/** PATCH /v1/datasets/{id}/. */
export const DatasetChange = z.strictObject({
  name: name.optional().describe('Name of the dataset, 1 to 255 characters'),
  description: description.optional().describe('Description'),
});
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
  label: name.describe('Name of the person or landmark, 1 to 255 characters'),
  active: z.boolean().describe('false: it is left out of trainings'),
  notes: notes.describe('Notes of your own'),
  expiration_date: expiration.describe(
    'A day (UTC) or a time with its zone from which on it is left out of trainings; null: never',
  ),
  level: z.number().min(-1e9).max(1e9).describe('A number of your own; Adit gives classes that a lower third made 1'),
  custom_fields: CustomFields.describe(
    'Objects of your own, at most 32 KiB; of landmarks, `type`, `latitude`, `longitude` and `location` are read',
  ),
};
/** POST and PUT of a class. */
export const ClassRequest = z.strictObject({
  label: name.describe('Name of the person or landmark, 1 to 255 characters'),
  reference: reference.optional().describe('Default: a UUID'),
  active: classFields.active.default(true).describe('false: it is left out of trainings; default true'),
  notes: notes.default('').describe('Notes of your own; default: empty'),
  expiration_date: expiration
    .default(null)
    .describe(
      'A day (UTC) or a time with its zone from which on it is left out of trainings; null, the default: never',
    ),
  level: classFields.level.default(0).describe('A number of your own; default 0'),
  custom_fields: CustomFields.default([]).describe(
    'Objects of your own, at most 32 KiB; of landmarks, `type`, `latitude`, `longitude` and `location` are read',
  ),
});
export type ClassRequest = z.infer<typeof ClassRequest>;
export const ClassChange = z
  .strictObject({ ...classFields, reference: reference.describe('Your own id of it, unique within the dataset') })
  .partial();
export type ClassChange = z.infer<typeof ClassChange>;

const fileUri = z.string().max(2048).describe('storage:// address of an uploaded picture');
/** POST of an image as JSON. */
export const ImageRequest = z.strictObject({
  file_uri: fileUri,
  active: z.boolean().default(true).describe('false: it is left out of trainings; default true'),
  notes: notes.default('').describe('Notes of your own; default: empty'),
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
  active: z.boolean().optional().describe('false: it is left out of trainings'),
  notes: notes.optional().describe('Notes of your own'),
  class_id: z.uuid().optional().describe('Class of the same dataset that it moves to'),
});
export type ImageChange = z.infer<typeof ImageChange>;
