import {
  IdentityErased,
  IndexedIdentity,
  IndexedIdentityChange,
  IndexedIdentityPage,
  IndexedIdentityRequest,
} from '@adit/contracts';
import { z } from 'zod';
import { exampleErasure } from '../erasures/erasure-routes.js';
import { defineRoute } from '../http/route.js';
import { Flag, inPages, OptionalPage } from '../http/shapes.js';
import { CollectionInPath, exampleIdentity as example } from './collection-routes.js';

const tag = 'Face indexes';
const params = CollectionInPath.extend({ indexId: z.string().describe('Id of the person: ten digits') });
const labelling =
  'Results that are read from then on show the label. Two identities of one label are one person: the one that has it already ' +
  'stays, and lists the other under `merged`. A merged one that is given another label is itself again; an empty label takes it away.';

export const listIdentities = defineRoute({
  method: 'GET',
  path: '/v1/index-collection/:collectionName/identities/',
  summary: 'List the people of an index collection',
  description: 'The oldest first. A plain list of all; with `offset` or `limit` it comes in pages.',
  tag,
  params: CollectionInPath,
  query: OptionalPage.extend({
    search: z.string().max(255).optional().describe('Part of a label, or an index id'),
    named: Flag.optional().describe('`true`: only those that have a label; `false`: only those that have none'),
  }),
  reply: z.array(IndexedIdentity),
  otherwise: inPages(IndexedIdentityPage),
  errors: ['NOT_FOUND'],
  example: { reply: [example] },
});

export const getIdentity = defineRoute({
  method: 'GET',
  path: '/v1/index-collection/:collectionName/identities/:indexId/',
  summary: 'Read an identity',
  description: 'By an id that was merged, the one that it belongs to.',
  tag,
  params,
  reply: IndexedIdentity,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const labelNamedIdentity = defineRoute({
  method: 'PUT',
  path: '/v1/index-collection/:collectionName/identities/',
  summary: 'Give the identity that the body names a label',
  description: labelling,
  tag,
  params: CollectionInPath,
  body: IndexedIdentityRequest,
  reply: IndexedIdentity,
  errors: ['NOT_FOUND'],
  example: { body: { index_id: example.index_id, label: example.label }, reply: example },
});

export const labelIdentity = defineRoute({
  method: 'PUT',
  path: '/v1/index-collection/:collectionName/identities/:indexId/',
  summary: 'Give an identity a label',
  description: labelling,
  tag,
  params,
  body: IndexedIdentityChange,
  reply: IndexedIdentity,
  errors: ['NOT_FOUND'],
  example: { body: { label: example.label }, reply: example },
});

export const deleteIdentity = defineRoute({
  method: 'DELETE',
  path: '/v1/index-collection/:collectionName/identities/:indexId/',
  summary: 'Take a person out of an index collection',
  description:
    'With those that were merged into it, and with all that `POST /v1/erasures/ {index_id}` erases; the reply is its receipt. ' +
    'Results show the person as unknown; a later job that meets them makes a new identity.',
  tag,
  params,
  reply: IdentityErased,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    reply: {
      ...exampleErasure,
      message: `The identity ${example.index_id} was taken out of ${example.collection_name}.`,
    },
  },
});
