import { StorageEntry } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Message } from '../http/shapes.js';

const tag = 'Storage';
const params = z.object({ storageId: z.string() });
const folder = z.string().max(4096).describe('Path of a folder, e.g. /news/2026');

const entry = {
  id: 17,
  url: 'storage://x6BfU3o0gkq2mZr9TtYw',
  file_size: 7340032,
  name: 'evening.mp4',
  uploaded: true,
  upload_failed: false,
  is_image: false,
  is_folder: false,
};

export const uploadFile = defineRoute({
  method: 'POST',
  path: '/v1/storage/',
  summary: 'Upload a file',
  description: 'A folder that does not exist is created. `folder` may be a query parameter or a field of the form.',
  tag,
  query: z.object({ folder: folder.optional() }),
  form: z.object({
    file: z.string().meta({ format: 'binary' }),
    folder: folder.optional(),
    name: z.string().max(255).optional().describe('Default: the name the file is sent with'),
  }),
  reply: StorageEntry,
  errors: ['CONFLICT', 'TOO_LARGE'],
  example: { reply: entry },
});

export const listFolder = defineRoute({
  method: 'GET',
  path: '/v1/storage/',
  summary: 'List the files and folders of a folder',
  tag,
  query: z.object({ folder: folder.default('/') }),
  reply: z.array(StorageEntry),
  errors: ['NOT_FOUND'],
  example: { reply: [entry] },
});

export const getEntry = defineRoute({
  method: 'GET',
  path: '/v1/storage/:storageId/',
  summary: 'Read an entry',
  tag,
  params,
  reply: StorageEntry,
  errors: ['NOT_FOUND'],
  example: { reply: entry },
});

export const getFile = defineRoute({
  method: 'GET',
  path: '/v1/storage/:storageId/file/',
  summary: 'Download a file',
  tag,
  params,
  reply: { contentType: 'application/octet-stream', description: 'The file; takes Range' },
  errors: ['NOT_FOUND', 'CONFLICT', 'RANGE_NOT_SATISFIABLE'],
});

export const deleteEntry = defineRoute({
  method: 'DELETE',
  path: '/v1/storage/:storageId/',
  summary: 'Remove a file, or a folder with everything in it',
  description: 'A file that a job still needs answers 409.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT'],
});
