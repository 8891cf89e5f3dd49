import { z } from 'zod';
import { CustomFields } from './custom-fields.js';
import { namedUuid } from './named-uuid.js';
import { pageOf } from './pagination.js';
import { IsoTime } from './time.js';

/** What a model knows: faces of people, landmarks, or things and scenes. */
export const ModelType = z.enum(['face', 'landmark', 'object']).meta({ id: 'ModelKind' });
export type ModelType = z.infer<typeof ModelType>;

export const ModelVersion = z.strictObject({
  version_number: z.int().positive(),
  /** When it was first seen here. */
  time_created: IsoTime,
  changelog: z.string(),
  source_dataset: z
    .null()
    .describe('The dataset it was trained with; null when it was installed as files')
    // Datasets are objects; a type that can only be null is more than most generators know.
    .meta({ type: ['object', 'null'], additionalProperties: true }),
});
export type ModelVersion = z.infer<typeof ModelVersion>;

/** A model that a job may name, by `name` or `id`. */
export const Model = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  versions: z.array(ModelVersion).min(1).describe('Those that are installed, by number'),
  latest_version: ModelVersion,
  type: ModelType,
  modules: z.array(z.string()).describe('Modules that take it in `model`'),
  is_public: z.boolean().describe('It comes with Adit, and cannot be changed or deleted'),
  time_created: IsoTime,
  time_updated: IsoTime,
  custom_fields: CustomFields,
});
export type Model = z.infer<typeof Model>;
export const ModelPage = pageOf(Model);

/** PUT /v1/models/{id}/. */
export const ModelRequest = z.strictObject({
  description: z.string().max(10_000).optional().describe('Left out: what the model says of itself'),
  custom_fields: CustomFields.default([]),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

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
