import { PageQuery, pageOf, StorageEntry, StorageEntryV2, StorageUse } from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { Message, NumberInPath, OptionalPage } from '../http/shapes.js';
import { IfExistsChoice } from './uploads.js';

const tag = 'Storage';
const params = z.object({ storageId: NumberInPath.describe('Id of the entry') });
const folder = z.string().max(4096).describe('Path of a folder, e.g. /news/2026');
const name = z.string().max(4096).describe('Default: the name the file is sent with');
const ifExists = IfExistsChoice;
const place = {
  folder: folder.optional(),
  name: name.optional(),
  if_exists: ifExists.optional().describe('Action if the folder has a file of that name; default `refuse`'),
};

const entry = {
  id: 17,
  url: 'storage://x6BfU3o0gkq2mZr9TtYw',
  file_size: 7340032,
  name: 'evening.mp4',
  uploaded: true,
  upload_failed: false,
};
const v1 = {
  path: '/v1/storage',
  Entry: StorageEntry,
  form: 'StorageForm',
  example: { ...entry, is_image: false, is_folder: false },
};
const v2 = {
  path: '/v2/storage',
  Entry: StorageEntryV2,
  form: 'StorageFormV2',
  example: { ...entry, storage_type: 'VIDEO', uploaded_at: '2026-03-02T18:00:00.000000Z' },
};

interface StorageVersion<E extends typeof StorageEntry | typeof StorageEntryV2> {
  path: string;
  Entry: E;
  form: string;
  example: object;
}

/** Defines the routes that differ between the versions only in the shape of an entry. */
function routesOf<E extends typeof StorageEntry | typeof StorageEntryV2>(version: StorageVersion<E>) {
  return { ...entryRoutesOf(version), ...downloadRoutesOf(version.path) };
}

function entryRoutesOf<E extends typeof StorageEntry | typeof StorageEntryV2>(version: StorageVersion<E>) {
  const { path, Entry, form, example } = version;
  return {
    upload: defineRoute({
      method: 'POST',
      path: `${path}/`,
      summary: 'Upload a file',
      description:
        'A folder that does not exist is created. `folder`, `name` and `if_exists` may be query parameters, which count ' +
        'more, or fields of the form. Large files are better sent resumably: `POST /v1/storage/uploads/`.',
      tag,
      query: z.object(place),
      form: z.object({ file: z.string().meta({ format: 'binary' }).describe('The file'), ...place }).meta({ id: form }),
      reply: Entry,
      errors: ['NOT_FOUND', 'CONFLICT', 'TOO_LARGE', 'STORAGE_FULL'],
      example: { reply: example },
    }),
    one: defineRoute({
      method: 'GET',
      path: `${path}/:storageId/`,
      summary: 'Read an entry',
      description: 'A file or a folder; `uploaded` says whether a file can be used.',
      tag,
      params,
      reply: Entry,
      errors: ['NOT_FOUND'],
      example: { reply: example },
    }),
    remove: defineRoute({
      method: 'DELETE',
      path: `${path}/:storageId/`,
      summary: 'Remove a file, or a folder with everything in it',
      description: 'A file that a job still needs answers 409, and so does a folder with such a file in it.',
      tag,
      params,
      reply: Message,
      errors: ['NOT_FOUND', 'CONFLICT'],
      example: { reply: { message: `${entry.name} was deleted.` } },
    }),
  };
}

function downloadRoutesOf(path: string) {
  return {
    file: defineRoute({
      method: 'GET',
      path: `${path}/:storageId/file/`,
      summary: 'Download a file',
      description: 'Takes Range, If-Range and If-None-Match. 409 while it is being uploaded.',
      tag,
      params,
      reply: {
        contentType: 'application/octet-stream',
        description: 'The file, under its own content type',
        isFile: true,
      },
      errors: ['NOT_FOUND', 'CONFLICT', 'RANGE_NOT_SATISFIABLE'],
    }),
    thumbnail: defineRoute({
      method: 'GET',
      path: `${path}/:storageId/thumbnail/`,
      summary: 'A small picture of a file',
      description:
        'A picture, the poster of a film or the waveform of sound, at most 320 pixels a side. Made when it is first asked ' +
        'for; 503 with Retry-After when that takes longer than 15 s, 404 for what nothing can be shown of.',
      tag,
      params,
      reply: { contentType: 'application/octet-stream', description: 'The thumbnail, a JPEG', isFile: true },
      errors: ['NOT_FOUND', 'CONFLICT', 'RANGE_NOT_SATISFIABLE'],
    }),
  };
}

const { cursor } = PageQuery.shape;
const StorageEntryPage = pageOf(StorageEntry).meta({ id: 'StorageEntryPage' });

export const storageV1 = {
  ...routesOf(v1),
  list: defineRoute({
    method: 'GET',
    path: '/v1/storage/',
    summary: 'List the files and folders of a folder',
    description:
      'A plain list of all of them, folders first, by name; with `offset` or `limit` a stretch of it. With `cursor`, and by ' +
      '`/v2/storage/`, it comes in pages.',
    tag,
    query: z.object({ folder: folder.default('/'), ...OptionalPage.shape }),
    reply: z.array(StorageEntry),
    otherwise: {
      name: 'Page',
      summary: 'The same list in pages',
      description: 'The path above, asked with `cursor`. `next` is the address of the page behind.',
      query: z.object({ cursor: cursor.unwrap().describe(cursor.description ?? '') }),
      reply: StorageEntryPage,
    },
    errors: ['NOT_FOUND'],
    example: { reply: [v1.example] },
  }),
};

export const storageV2 = {
  ...routesOf(v2),
  list: defineRoute({
    method: 'GET',
    path: '/v2/storage/',
    summary: 'List the files and folders of a folder',
    description: 'Folders first, by name.',
    tag,
    query: z.object({ folder: folder.default('/'), ...PageQuery.shape }),
    reply: pageOf(StorageEntryV2).meta({ id: 'StorageEntryV2Page' }),
    errors: ['NOT_FOUND'],
    example: { reply: examplePage(v2.example) },
  }),
};

export const getStorageUse = defineRoute({
  method: 'GET',
  path: '/v1/storage/usage/',
  summary: 'How many bytes the workspace stores, and may store',
  description: 'Of all that counts towards the limit of the workspace (`storage_bytes`, or `ADIT_STORAGE_BYTES`).',
  tag,
  reply: StorageUse,
  example: {
    reply: {
      ...{ limit: 1_000_000_000_000, used: 734_023_680, free: 999_265_976_320 },
      ...{ uploads: 734_003_200, transcripts: 20_480, recordings: 0 },
    },
  },
});
