import { Erasure, ErasurePage, ErasureRequest, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { UuidInPath } from '../http/shapes.js';

const tag = 'Erasures';

export const exampleErasure: Erasure = {
  id: '0c0f7d6a-5b1e-4a53-9a3b-1f2e3d4c5b6a',
  state: 'completed',
  obstacle: null,
  subject: { index_id: '4821093375', merged: ['7719302648'], collection_name: 'archive' },
  counts: { identities: 2, embeddings: 2, thumbnails: 1, segments: 14, pictures: 20, observations: 6, artifacts: 4 },
  requested_by: { kind: 'api-key', id: '3d0f4c1e-7a52-4a0e-9a43-0f2d8a1b6c11', name: 'newsroom' },
  request_id: '7e0c9a54-0a3e-4f5b-9d56-6b1a2f0f3d11',
  time_created: '2026-11-21T07:00:00.000000Z',
  time_completed: '2026-11-21T07:00:01.000000Z',
};

export const createErasure = defineRoute({
  method: 'POST',
  path: '/v1/erasures/',
  summary: 'Erase a person, a class or what is known of a file',
  description:
    'By `index_id` a person of a face index: identity, embedding and picture, the pictures of every result that shows them, what ' +
    'is cached of that media, and the reports and exports of those jobs. By `dataset_id` and `class_id` a class with its images, ' +
    'and the exports of its dataset. By `file_uri` what is known of a stored file or a live stream: whatever jobs found in it, their transcripts of ' +
    'it, their files and exports, the reports on their batches, what is cached of its bytes, and the dataset images made of it; the ' +
    'file itself is deleted under `/v1/storage/`. The person is found no more when this answers; the receipt is `completed` when ' +
    'nothing is left. Until then it is `processing`: of a file for as long as a job mines it, of anything for as long as the object ' +
    'store keeps it under a lock. A job under a legal hold that it would take something from stands in its way: 409.',
  tag,
  body: ErasureRequest,
  resource: null,
  reply: Erasure,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { body: { index_id: '4821093375' }, reply: exampleErasure },
});

export const getErasure = defineRoute({
  method: 'GET',
  path: '/v1/erasures/:erasureId/',
  summary: 'Read the receipt of an erasure',
  description: 'Shows what was removed, when, and who asked for it. The audit log has the same line.',
  tag,
  params: z.object({ erasureId: UuidInPath.describe('Id of the erasure') }),
  reply: Erasure,
  errors: ['NOT_FOUND'],
  example: { reply: exampleErasure },
});

export const listErasures = defineRoute({
  method: 'GET',
  path: '/v1/erasures/',
  summary: 'List erasures, newest first',
  description: 'A page of the receipts of the workspace.',
  tag,
  query: PageQuery,
  reply: ErasurePage,
});
