import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { Thumbnail } from './results.js';
import { IsoTime } from '../values/time.js';

/** The collection that every workspace has. */
export const DEFAULT_COLLECTION = 'default_index';

/** Part of an address, so that nothing in it needs a second thought there. */
export const CollectionName = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^/\\?#%]+$/, 'letters, digits, spaces, . _ - and the like; no / \\ ? # %')
  .refine((name) => !/\p{Cc}/u.test(name), 'it may have no control characters')
  .refine((name) => name !== '.' && name !== '..', 'it may not be . or ..');

/** Unknown faces that face_recognition keeps, to recognise them in later jobs. */
export const IndexCollection = z.strictObject({
  name: z.string().describe('Unique in the workspace; what addresses and jobs call it'),
  description: z.string().describe('Description by its owner; may be empty'),
  type: z.literal('face').describe('Always `face`'),
  is_public: z.boolean().describe('Always false'),
  number_of_identities: z.int().nonnegative().describe('Identities in it; merged ones count each'),
  embedding: z
    .strictObject({
      model: z.string().describe('Name of the network'),
      digest: z.string().describe("SHA-256 of the network's version"),
    })
    .nullable()
    .describe(
      'The network whose embeddings it holds; null until the first face. Faces of another network are refused.',
    ),
  time_created: IsoTime.describe('When it was created'),
  time_updated: IsoTime.describe('When it was changed last'),
});
export type IndexCollection = z.infer<typeof IndexCollection>;
export const IndexCollectionPage = pageOf(IndexCollection);

const description = z.string().max(4000);

/** POST and PUT /v1/index-collection/. */
export const IndexCollectionRequest = z.strictObject({
  name: CollectionName.describe('Name of the collection, 1 to 128 characters without / \\ ? # %'),
  description: description.default('').describe('Description; default: empty'),
  type: z.literal('face').default('face').describe('Always `face`'),
});
export type IndexCollectionRequest = z.infer<typeof IndexCollectionRequest>;

/** PUT /v1/index-collection/{name}/. */
export const IndexCollectionChange = z.strictObject({
  description: description.default('').describe('Description; default: empty'),
});

export const IndexId = z.string().regex(/^\d{10}$/, 'ten digits');

export const IndexedIdentity = z.strictObject({
  index_id: IndexId.describe('Id of the person: ten digits'),
  label: z.string().describe('Empty until somebody gives one'),
  collection_name: z.string().describe('Index collection that the person is in'),
  thumbnail: Thumbnail.nullable().describe('Their face; null when it was not kept'),
  merged: z.array(IndexId).describe('Identities that were given the same label and belong to this one since'),
  time_created: IsoTime.describe('When they were first seen'),
  time_updated: IsoTime.describe('When they were changed last'),
});
export type IndexedIdentity = z.infer<typeof IndexedIdentity>;
export const IndexedIdentityPage = pageOf(IndexedIdentity);

const label = z.string().trim().max(255).describe('Two identities of one label are one person; empty takes it away');

/** PUT /v1/index-collection/{name}/identities/. */
export const IndexedIdentityRequest = z.strictObject({
  index_id: IndexId.describe('Id of the person: ten digits'),
  label,
});
/** PUT /v1/index-collection/{name}/identities/{index_id}/. */
export const IndexedIdentityChange = z.strictObject({ label });
