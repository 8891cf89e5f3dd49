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
  changelog: z.string().describe('What is new in it; may be empty'),
  source_dataset: Dataset.nullable().describe(
    'The dataset it was trained with, as it was when the training was posted; null when it was installed as files, or the ' +
      'training was deleted',
  ),
  digest: z.string().describe('SHA-256 of its files and of what decides how they are used: jobs keep it'),
  metrics: z.record(z.string(), z.number()).nullable().describe('What was measured when it was made or added'),
});
export type ModelVersion = z.infer<typeof ModelVersion>;

export const ModelScope = z.enum(['workspace', 'installation']);
export type ModelScope = z.infer<typeof ModelScope>;

/** A model that a job may name, by `name` or `id`. */
export const Model = z.strictObject({
  id: z.uuid().describe('Id of the model, the same in every installation unless it is of one workspace alone'),
  name: z.string().describe('What jobs name it by'),
  description: z.string().describe('What the workspace says of it, else what the model says of itself'),
  versions: z.array(ModelVersion).min(1).describe('Those that are installed, by number'),
  latest_version: ModelVersion.describe('The version with the highest number'),
  type: ModelType.describe('What it knows: faces of people, landmarks, things and scenes, or text'),
  modules: z.array(z.string()).describe('Modules that take it in `model`'),
  is_public: z.boolean().describe('It comes with Adit, and cannot be changed or deleted'),
  time_created: IsoTime.describe('When it was first seen here'),
  time_updated: IsoTime.describe('When a version was added or its description changed last'),
  custom_fields: CustomFields.describe('Objects of your own, kept as they are'),
  default_version: z.int().positive().describe('What its name alone means: the promoted version, else the highest'),
  scope: ModelScope.describe('Who sees it: this workspace alone, or all of the installation'),
  task: z.string().describe('What it does, such as `face-gallery`'),
  family: z.string().nullable().describe('How a network that jobs name is used; null for others'),
  licence: z.string().describe('Its licence, as it states it'),
  origin: z.string().describe('Where it comes from, as it states it'),
  input: ImageInput.nullable().describe('How pictures become its input'),
  labels: z.array(z.string()).nullable().describe('Those of the default version'),
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
  name: z.string().min(1).max(63).describe('As jobs will name it; a name that the workspace has gets a version more'),
  scope: ModelScope.default('workspace').describe('installation: for all workspaces; needs a key with the role owner'),
  labels: z.string().max(4_000_000).optional().describe('Names of its classes, one a line'),
  family: Text.describe('What it does, where its shape does not tell'),
  decoding: Text.describe('How its outputs are read'),
  size: Text.describe('Pixels it was trained at, such as 640x640'),
  colour: Text.describe('rgb or bgr'),
  mean: Text.describe('What is subtracted from values of 0..255: one number or three with commas between'),
  std: Text.describe('What the difference is divided by: one number or three with commas between'),
  resize: Text.describe('letterbox or stretch'),
  filter: Text.describe('How pictures are resized: nearest, bilinear, antialiased or bicubic'),
  pad: Text.describe('Of letterbox: brightness of the bars, 0 to 255'),
  shorter_side: Text.describe("Pixels of the picture's shorter side before its middle is cut out"),
  logit_scale: Text.describe('Of images and text: what a cosine is multiplied by'),
  logit_bias: Text.describe('Of images and text: what is added to that'),
  max_distance: Text.describe('Of faces: distance of two embeddings of length 1 up to which they are of one person'),
  text_length: Text.describe('Of texts: how many tokens they have at most'),
  start_token: Text.describe('Of a decoder of text: the number of the token that opens one'),
  end_token: Text.describe('Of a decoder of text: the number of the token that ends one'),
  template: Text.describe('Of texts: what a label is put into, at {}'),
  description: z.string().max(10_000).optional().describe('What it is for'),
  licence: Text.describe('Its licence'),
  origin: Text.describe('Where it comes from'),
  changelog: z.string().max(10_000).optional().describe('What is new in this version'),
});
export type NewModel = z.infer<typeof NewModel>;

/** POST /v1/models/ of a file that lies in storage. */
export const ModelUpload = NewModel.extend({ file_uri: z.string().describe('Of an uploaded file: storage://…') });

/** `checking`: it is being looked at; `refused`: no job can name it; `removed`: it lies there no more, and is offered to no new job. */
export const FollowedState = z.enum(['checking', 'published', 'refused', 'removed']);
export type FollowedState = z.infer<typeof FollowedState>;

/** GET /v1/models/followed/: a version in the bucket whose models are followed. */
export const FollowedVersion = z.strictObject({
  name: z.string().describe('Name of the model'),
  version_number: z.int().positive().describe('Number of the version'),
  state: FollowedState.describe('`checking`, then `published` or `refused`; `removed` when its files are gone'),
  problem: z.string().nullable().describe('What is wrong with what lies there; one that is published stays as it was'),
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
  version: z.int().positive().max(1e9).optional().describe('Of the model; the one that its name means when left out.'),
  module: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Which of the modules that take the model; the one it was made for when left out.'),
  arguments: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Of the module, as in a job; neither `model` nor dictionaries.'),
});
export type PredictionOptions = z.infer<typeof PredictionOptions>;

/** POST /v1/models/{id}/predict/. */
export const PredictionRequest = PredictionOptions.extend({ file_uri: PictureAddress });
export type PredictionRequest = z.infer<typeof PredictionRequest>;

/** A model's results for one picture: those that a job would have, as far as a picture has them. */
export const Prediction = z.strictObject({
  module: z.string().describe('As results call it'),
  width: z.int().positive().describe('Of the picture as displayed, in pixels'),
  height: z.int().positive().describe('Of the picture as displayed, in pixels'),
  results: z
    .array(
      z.strictObject({
        type: z.string().describe('Kind of what was found, such as `face` or `object`'),
        label: z.string().describe('What was found'),
        confidence: z.number().describe('Or similarity, 0..1'),
        meta: z.record(z.string(), z.unknown()).describe('As in detailed results of the module'),
        detections: z.array(Detection).describe('Where it is in the picture'),
      }),
    )
    .describe('What was found in the picture'),
  models: z.array(ModelPin).describe('What looked at the picture and named what was seen, in their exact versions'),
});
export type Prediction = z.infer<typeof Prediction>;
