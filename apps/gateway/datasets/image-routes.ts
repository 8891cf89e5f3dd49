import {
  DatasetImage,
  DatasetImagePage,
  FaceClustering,
  ImageChange,
  ImageReplacement,
  ImageRequest,
  NewImageRequest,
} from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Flag, inPages, Message, OptionalPage, UuidInPath } from '../http/shapes.js';
import { classParams } from './class-routes.js';

const tag = 'Datasets';
const params = classParams.extend({ imageId: UuidInPath.describe('Id of the image') });

const example = {
  id: '6c7b0d1e-93a1-4f57-8f8d-0e9c1b2a3d4e',
  file_uri: 'storage://pQ2rS4tU6vW8xY0zA1bC',
  time_created: '2026-11-21T07:00:00.000000Z',
  time_updated: '2026-11-21T07:00:00.000000Z',
  active: true,
  notes: '',
  is_auto_generated: false,
  evaluation_result: {},
};

/** Fields beside the file; a form has nothing but text. */
export const ImageFields = z.strictObject({
  active: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true'),
  notes: ImageRequest.shape.notes,
});

export const listImages = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/classes/:classId/images/',
  summary: 'List the images of a class, the oldest first',
  description: 'A plain list of all; with `offset` or `limit` it comes in pages. Filters narrow it down together.',
  tag,
  params: classParams,
  query: OptionalPage.extend({
    active: Flag.optional().describe('true: active images alone; false: inactive ones; left out: both'),
    face_clustering: FaceClustering.optional().describe('Images alone that stand so to the others of their class'),
  }),
  reply: z.array(DatasetImage),
  otherwise: inPages(DatasetImagePage),
  errors: ['NOT_FOUND'],
  example: { reply: [example] },
});

export const createImage = defineRoute({
  method: 'POST',
  path: '/v1/datasets/:datasetId/classes/:classId/images/',
  summary: 'Add an image to a class',
  description:
    'JSON with the `file_uri` of an uploaded picture; or with `job_id` and `segment_id`, for the face or the landmark that a ' +
    'segment shows; or multipart/form-data with the picture itself in the field `file`. What is no file of the client’s is ' +
    'stored under `/datasets` and goes with the image, whatever becomes of the job. What is no picture answers 400, a ' +
    'class that is full 409.',
  tag,
  params: classParams,
  body: NewImageRequest.optional(),
  form: z
    .object({
      file: z.string().meta({ format: 'binary' }).describe('The picture'),
      active: z.boolean().optional().describe('false: it is left out of trainings; default true'),
      notes: z.string().optional().describe('Notes of your own; default: empty'),
    })
    .meta({ id: 'DatasetImageForm' }),
  reply: DatasetImage,
  errors: ['NOT_FOUND', 'CONFLICT', 'TOO_LARGE', 'SOURCE_REFUSED', 'STORAGE_FULL'],
  example: { reply: example },
});

export const getImage = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/classes/:classId/images/:imageId/',
  summary: 'Read an image',
  description: 'With what was found in it, once it was evaluated.',
  tag,
  params,
  reply: DatasetImage,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const imageThumbnail = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/classes/:classId/images/:imageId/thumbnail/',
  summary: 'A small picture of an image',
  description:
    'At most 320 pixels a side. Made when it is first asked for; 503 with Retry-After when that takes longer than 15 s, ' +
    '404 for a file that is no picture, or cannot be read.',
  tag,
  params,
  reply: { contentType: 'application/octet-stream', description: 'The thumbnail, a JPEG', isFile: true },
  errors: ['NOT_FOUND', 'CONFLICT', 'RANGE_NOT_SATISFIABLE'],
});

const outdated = { active: false, notes: 'Twenty years old' };
const changing = 'Another file is evaluated anew; nothing else is.';

export const replaceImage = defineRoute({
  method: 'PUT',
  path: '/v1/datasets/:datasetId/classes/:classId/images/:imageId/',
  summary: 'Replace the fields of an image',
  description: `What is left out gets its default; without \`file_uri\` the file stays. ${changing}`,
  tag,
  params,
  body: ImageReplacement,
  reply: DatasetImage,
  errors: ['NOT_FOUND', 'SOURCE_REFUSED'],
  example: { body: { file_uri: example.file_uri, ...outdated }, reply: { ...example, ...outdated } },
});

export const changeImage = defineRoute({
  method: 'PATCH',
  path: '/v1/datasets/:datasetId/classes/:classId/images/:imageId/',
  summary: 'Change what is sent',
  description:
    `What is left out stays as it is. ${changing} \`class_id\` moves it to another class of the dataset, where it has the ` +
    'same id; both classes are compared anew. 409: that class is full.',
  tag,
  params,
  body: ImageChange,
  reply: DatasetImage,
  errors: ['NOT_FOUND', 'CONFLICT', 'SOURCE_REFUSED'],
  example: { body: outdated, reply: { ...example, ...outdated } },
});

export const deleteImage = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/:datasetId/classes/:classId/images/:imageId/',
  summary: 'Remove an image, with its file when that came with it',
  description: 'Its evaluation goes too, unless another image has the same bytes.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The image ${example.id} was deleted.` } },
});
