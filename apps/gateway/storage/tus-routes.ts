import { StorageEntry } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { IF_EXISTS } from './uploads.js';
import { OFFSET_STREAM } from './tus.js';

const tag = 'Storage';
const params = z.object({ storageId: z.string() });
const path = '/v1/storage/uploads/:storageId/';
const version = { 'Tus-Resumable': z.literal('1.0.0') };

export const describeUploads = defineRoute({
  method: 'OPTIONS',
  path: '/v1/storage/uploads/',
  summary: 'Which version and extensions of tus are spoken, and the largest file',
  tag,
  reply: null,
  status: 204,
});

export const createUpload = defineRoute({
  method: 'POST',
  path: '/v1/storage/uploads/',
  summary: 'Begin a resumable upload',
  description:
    'tus 1.0.0 (https://tus.io). `Upload-Metadata` may hold `filename`, `folder`, `filetype` and `if_exists`; the query ' +
    'counts more. The reply is the new entry, and Location is where its bytes go. The first of them may come at once.',
  tag,
  query: z.object({
    folder: z.string().max(4096).optional(),
    name: z.string().max(4096).optional(),
    if_exists: z.enum(IF_EXISTS).optional(),
  }),
  headers: z.object({
    ...version,
    'Upload-Length': z.int().nonnegative().describe('Bytes of the whole file'),
    'Upload-Metadata': z.string().optional().describe('Pairs of a key and a value in base64, joined by commas'),
  }),
  rawBody: OFFSET_STREAM,
  reply: StorageEntry,
  status: 201,
  errors: ['CONFLICT', 'PRECONDITION_FAILED', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
});

export const lookAtUpload = defineRoute({
  method: 'HEAD',
  path,
  summary: 'How far a resumable upload is: Upload-Offset',
  tag,
  params,
  headers: z.object(version),
  reply: null,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
});

export const continueUpload = defineRoute({
  method: 'PATCH',
  path,
  summary: 'Send the bytes of a resumable upload from its offset on',
  description: 'What comes before the connection breaks counts; ask for the offset and go on from there.',
  tag,
  params,
  headers: z.object({ ...version, 'Upload-Offset': z.int().nonnegative() }),
  rawBody: OFFSET_STREAM,
  reply: null,
  status: 204,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
});

export const terminateUpload = defineRoute({
  method: 'DELETE',
  path,
  summary: 'Give a resumable upload up, or remove the file that it became',
  tag,
  params,
  headers: z.object(version),
  reply: null,
  status: 204,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
});
