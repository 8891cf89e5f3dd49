import { StorageEntry } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { NumberInPath } from '../http/shapes.js';
import { IfExistsChoice } from './uploads.js';
import { OFFSET_STREAM } from './tus.js';

const tag = 'Storage';
const params = z.object({ storageId: NumberInPath.describe('Id of the entry') });
const path = '/v1/storage/uploads/:storageId/';
const version = { 'Tus-Resumable': z.literal('1.0.0').describe('Version of the protocol') };

export const describeUploads = defineRoute({
  method: 'OPTIONS',
  path: '/v1/storage/uploads/',
  replyHeaders: ['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size'],
  summary: 'Which version and extensions of tus are spoken, and the largest file',
  description: 'The headers `Tus-Version`, `Tus-Extension` and `Tus-Max-Size` of tus 1.0.0 (https://tus.io).',
  tag,
  reply: null,
  status: 204,
});

export const createUpload = defineRoute({
  method: 'POST',
  path: '/v1/storage/uploads/',
  replyHeaders: ['Tus-Resumable', 'Location', 'Upload-Offset', 'Upload-Expires', 'Tus-Version'],
  summary: 'Begin a resumable upload',
  description:
    'tus 1.0.0 (https://tus.io). `Upload-Metadata` may hold `filename`, `folder`, `filetype` and `if_exists`; the query ' +
    'counts more. The reply is the new entry, and Location is where its bytes go. The first of them may come at once.',
  tag,
  query: z.object({
    folder: z
      .string()
      .max(4096)
      .optional()
      .describe('Path of the folder that it goes into, made where it is missing; default: `folder` of Upload-Metadata'),
    name: z.string().max(4096).optional().describe('Name of the file; default: `filename` of Upload-Metadata'),
    if_exists: IfExistsChoice.optional().describe('Action if the folder has a file of that name; default `refuse`'),
  }),
  headers: z.object({
    ...version,
    'Upload-Length': z.int().nonnegative().describe('Bytes of the whole file'),
    'Upload-Metadata': z.string().optional().describe('Pairs of a key and a value in base64, joined by commas'),
  }),
  rawBody: OFFSET_STREAM,
  reply: StorageEntry,
  status: 201,
  errors: [
    'NOT_FOUND',
    'CONFLICT',
    'PRECONDITION_FAILED',
    'TOO_LARGE',
    'STORAGE_FULL',
    'UNSUPPORTED_MEDIA_TYPE',
    'NOT_IMPLEMENTED',
  ],
});

export const inspectUpload = defineRoute({
  method: 'HEAD',
  path,
  replyHeaders: ['Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Expires', 'Tus-Version'],
  summary: 'How far a resumable upload is: Upload-Offset',
  description:
    'Ask after a broken connection, then go on from `Upload-Offset`. `Upload-Expires` says how long it is kept.',
  tag,
  params,
  headers: z.object(version),
  reply: null,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'NOT_IMPLEMENTED'],
});

export const continueUpload = defineRoute({
  method: 'PATCH',
  path,
  replyHeaders: ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires', 'Tus-Version'],
  summary: 'Send the bytes of a resumable upload from its offset on',
  description: 'Bytes that came before a connection broke are kept: ask for the offset and continue there.',
  tag,
  params,
  headers: z.object({
    ...version,
    'Upload-Offset': z.int().nonnegative().describe('Bytes that are there already, which these follow'),
  }),
  rawBody: OFFSET_STREAM,
  reply: null,
  status: 204,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'NOT_IMPLEMENTED'],
});

export const terminateUpload = defineRoute({
  method: 'DELETE',
  path,
  replyHeaders: ['Tus-Resumable', 'Tus-Version'],
  summary: 'Give a resumable upload up, or remove the file that it became',
  description: 'The termination of tus 1.0.0. A file that a job still needs answers 409.',
  tag,
  params,
  headers: z.object(version),
  reply: null,
  status: 204,
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'NOT_IMPLEMENTED'],
});
