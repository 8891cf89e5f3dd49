import { z } from 'zod';
import { CustomFields } from '../values/custom-fields.js';
import { Dataset } from './dataset.js';
import { PictureAddress } from './online-inference.js';
import { ImageInput, ModelPin } from '../model-manifest.js';
import { namedUuid } from '../values/named-uuid.js';
import { pageOf } from '../values/pagination.js';
import { Detection } from './results.js';
import { IsoTime } from '../values/time.js';

/** Subject of a model: faces of people, landmarks, things and scenes, or text. */
export const ModelType = z.enum(['face', 'landmark', 'object', 'text']).meta({ id: 'ModelKind' });
export type ModelType = z.infer<typeof ModelType>;

export const ModelVersion = z.strictObject({
  version_number: z.int().positive().describe('Number of the version, from 1'),
  time_created: IsoTime.describe('When it was first seen here'),
  changelog: z.string().describe('Changes; may be empty'),
  source_dataset: Dataset.nullable().describe(
    'The dataset it was trained with, as it was when the training was posted; null when it was installed as files, or the ' +
      'training was deleted',
  ),
  digest: z.string().describe('SHA-256 of its files and of what decides how they are used: jobs keep it'),
  metrics: z.record(z.string(), z.number()).nullable().describe('Measurements from its training or import'),
});
export type ModelVersion = z.infer<typeof ModelVersion>;

export const ModelScope = z.enum(['workspace', 'installation']);
export type ModelScope = z.infer<typeof ModelScope>;

/** A model that a job may name, by `name` or `id`. */
export const Model = z.strictObject({
  id: z.uuid().describe('Id of the model, the same in every installation unless it is of one workspace alone'),
  name: z.string().describe('Name in jobs'),
  description: z.string().describe('Description by the workspace, else by the model itself'),
  versions: z.array(ModelVersion).min(1).describe('Installed versions, by number'),
  latest_version: ModelVersion.describe('The version with the highest number'),
  type: ModelType.describe('Its subject: faces of people, landmarks, things and scenes, or text'),
  modules: z.array(z.string()).describe('Modules that take it in `model`'),
  is_public: z.boolean().describe('It comes with Adit, and cannot be changed or deleted'),
  time_created: IsoTime.describe('When it was first seen here'),
  time_updated: IsoTime.describe('When a version was added or its description changed last'),
  custom_fields: CustomFields.describe('Objects of your own, kept as they are'),
  default_version: z.int().positive().describe('Version used without a number: the promoted one, else the highest'),
  scope: ModelScope.describe('Who sees it: this workspace alone, or all of the installation'),
  task: z.string().describe('Its task, such as `face-gallery`'),
  family: z.string().nullable().describe('Kind of a network that jobs can name; null for others'),
  licence: z.string().describe('Its licence, as it states it'),
  origin: z.string().describe('Its stated origin'),
  input: ImageInput.nullable().describe('Conversion of pictures to its input'),
  labels: z.array(z.string()).nullable().describe('Labels of the default version'),
});
export type Model = z.infer<typeof Model>;
export const ModelPage = pageOf(Model);

/** PUT /v1/models/{id}/. */
export const ModelRequest = z.strictObject({
  description: z.string().max(10_000).optional().describe('Left out: what the model says of itself'),
  custom_fields: CustomFields.default([]).describe('Objects of your own, at most 32 KiB; default: none'),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

const Text = z.string().max(200).optional();

/** Fields for a new model. Those that the file and its exporter tell may be left out. */
export const NewModel = z.strictObject({
  name: z.string().min(1).max(63).describe('Name for jobs; an existing name gets a new version'),
  scope: ModelScope.default('workspace').describe('installation: for all workspaces; needs a key with the role owner'),
  labels: z.string().max(4_000_000).optional().describe('Names of its classes, one a line'),
  family: Text.describe("Its kind, if the graph's shape does not show it"),
  decoding: Text.describe('Decoding of its outputs'),
  size: Text.describe('Pixels it was trained at, such as 640x640'),
  colour: Text.describe('rgb or bgr'),
  mean: Text.describe('Mean subtracted from values of 0..255: one number or three with commas between'),
  std: Text.describe('Divisor of the difference: one number or three with commas between'),
  resize: Text.describe('letterbox or stretch'),
  filter: Text.describe('Resize filter: nearest, bilinear, antialiased or bicubic'),
  pad: Text.describe('Brightness of the bars of letterbox, 0 to 255'),
  shorter_side: Text.describe("Pixels of the picture's shorter side before its middle is cut out"),
  logit_scale: Text.describe('Factor of the cosine, for models of images and text'),
  logit_bias: Text.describe('Summand of the logit, for models of images and text'),
  max_distance: Text.describe('Maximum distance of two embeddings (length 1) of one person, for models of faces'),
  text_length: Text.describe('Maximum number of tokens in a text'),
  start_token: Text.describe('Number of the start token of a text decoder'),
  end_token: Text.describe('Number of the end token of a text decoder'),
  template: Text.describe('Sentence around a label, at {}, for models with texts'),
  description: z.string().max(10_000).optional().describe('Its purpose'),
  licence: Text.describe('Its licence'),
  origin: Text.describe('Its origin'),
  changelog: z.string().max(10_000).optional().describe('Changes in this version'),
});
export type NewModel = z.infer<typeof NewModel>;

/** POST /v1/models/ of a file that lies in storage. */
export const ModelUpload = NewModel.extend({
  file_uri: z.string().describe('Address of an uploaded file: storage://…'),
});

/** `checking`: it is being looked at; `refused`: no job can name it; `removed`: it lies there no more, and is offered to no new job. */
export const FollowedState = z.enum(['checking', 'published', 'refused', 'removed']);
export type FollowedState = z.infer<typeof FollowedState>;

/** GET /v1/models/followed/: a version in the synced models bucket. */
export const FollowedVersion = z.strictObject({
  name: z.string().describe('Name of the model'),
  version_number: z.int().positive().describe('Number of the version'),
  state: FollowedState.describe('`checking`, then `published` or `refused`; `removed` when its files are gone'),
  problem: z.string().nullable().describe('Problem of the files; a published version stays unchanged'),
  digest: z
    .string()
    .nullable()
    .describe('SHA-256 of its files and of what decides how they are used; null before it is known'),
  time_updated: IsoTime.describe('When this was last found'),
});
export type FollowedVersion = z.infer<typeof FollowedVersion>;

/** The namespace of the ids of installed models: a random UUID that must never change. */
const MODEL_NAMESPACE = '81ed476f-831a-4520-b179-5596c7d4a320';

/**
 * The id of the model of that name: the same in every process, after every restart, and in every installation; of one that a
 * workspace has for itself, the same for that workspace.
 */
export function modelId(name: string, workspaceId: string | null = null): string {
  // No name has a slash.
  return namedUuid(MODEL_NAMESPACE, workspaceId === null ? name : `${workspaceId}/${name}`);
}

/** Options of a prediction beside the picture. */
export const PredictionOptions = z.strictObject({
  version: z
    .int()
    .positive()
    .max(1e9)
    .optional()
    .describe('Version of the model; default: the one used without a number.'),
  module: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('One of the modules that take the model; default: the one that it was made for.'),
  arguments: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Arguments of the module, as in a job; neither `model` nor dictionaries.'),
});
export type PredictionOptions = z.infer<typeof PredictionOptions>;

/** POST /v1/models/{id}/predict/. */
export const PredictionRequest = PredictionOptions.extend({ file_uri: PictureAddress });
export type PredictionRequest = z.infer<typeof PredictionRequest>;

/** A model's results for one picture: those that a job would have, as far as a picture has them. */
export const Prediction = z.strictObject({
  module: z.string().describe('Name in results'),
  width: z.int().positive().describe('In pixels, as displayed'),
  height: z.int().positive().describe('In pixels, as displayed'),
  results: z
    .array(
      z.strictObject({
        type: z.string().describe('Kind of what was found, such as `face` or `object`'),
        label: z.string().describe('Label of the result'),
        confidence: z.number().describe('Or similarity, 0..1'),
        meta: z.record(z.string(), z.unknown()).describe("Fields of the module's detailed results"),
        detections: z.array(Detection).describe('Places in the picture'),
      }),
    )
    .describe('Results'),
  models: z.array(ModelPin).describe('Exact versions of the models used'),
});
export type Prediction = z.infer<typeof Prediction>;
