import {
  IndexCollection,
  IndexCollectionChange,
  IndexCollectionPage,
  IndexCollectionRequest,
  type IndexedIdentity,
} from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { inPages, Message, OptionalPage } from '../http/shapes.js';

const tag = 'Face indexes';
export const CollectionInPath = z.object({ collectionName: z.string().describe('Name of the collection') });
const params = CollectionInPath;

/** The network that faces are embedded by. */
export const exampleEmbedding = {
  model: 'face-embedding',
  digest: '5f8c0f6d6a3b4d5e8f9a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e',
};
const body = { name: 'archive', description: 'Everybody since 1960', type: 'face' as const };
const example: IndexCollection = {
  ...body,
  is_public: false,
  number_of_identities: 2310,
  embedding: exampleEmbedding,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_updated: '2026-11-21T07:00:00.000000Z',
};
export const exampleIdentity: IndexedIdentity = {
  index_id: '4821093375',
  label: 'Anna Weber',
  collection_name: 'archive',
  thumbnail: null,
  merged: ['7719302648'],
  time_created: '2026-11-21T07:00:00.000000Z',
  time_updated: '2026-11-21T07:00:00.000000Z',
};

export const listCollections = defineRoute({
  method: 'GET',
  path: '/v1/index-collection/',
  summary: 'List the index collections of the workspace',
  description:
    'The oldest first; `default_index` is always there. A plain list of all; with `offset` or `limit` it comes in pages.',
  tag,
  query: OptionalPage,
  reply: z.array(IndexCollection),
  otherwise: inPages(IndexCollectionPage),
  example: { reply: [example] },
});

export const getCollection = defineRoute({
  method: 'GET',
  path: '/v1/index-collection/:collectionName/',
  summary: 'Read an index collection',
  description: 'Facts about the collection. Its people are its identities.',
  tag,
  params,
  reply: IndexCollection,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const createCollection = defineRoute({
  method: 'POST',
  path: '/v1/index-collection/',
  summary: 'Make an index collection',
  description:
    'Jobs put unknown people into it with `index_unknowns` and `index_collection`. One that has the name already answers 409.',
  tag,
  body: IndexCollectionRequest,
  reply: IndexCollection,
  identifiedBy: 'name',
  errors: ['CONFLICT'],
  example: { body, reply: example },
});

export const replaceNamedCollection = defineRoute({
  method: 'PUT',
  path: '/v1/index-collection/',
  summary: 'Replace the description of the index collection that the body names',
  description: 'The same as `PUT /v1/index-collection/{collectionName}/`. Its name and type stay.',
  tag,
  body: IndexCollectionRequest,
  reply: IndexCollection,
  errors: ['NOT_FOUND'],
  example: { body, reply: example },
});

export const replaceCollection = defineRoute({
  method: 'PUT',
  path: '/v1/index-collection/:collectionName/',
  summary: 'Replace the description of an index collection',
  description: 'Its name and type stay.',
  tag,
  params,
  body: IndexCollectionChange,
  reply: IndexCollection,
  errors: ['NOT_FOUND'],
  example: { body: { description: body.description }, reply: example },
});

export const deleteCollection = defineRoute({
  method: 'DELETE',
  path: '/v1/index-collection/:collectionName/',
  summary: 'Remove an index collection with everybody in it',
  description:
    'Nobody finds it any more at once; the people in it go soon after, however many they are. Results show them as unknown. ' +
    'Jobs that run add nobody to it. `default_index` is emptied.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The index collection ${body.name} was deleted.` } },
});
