import {
  FaceComparison,
  FaceComparisonOptions,
  FaceComparisonRequest,
  FaceDetection,
  FaceDetectionRequest,
  FaceSearch,
  FaceSearchRequest,
  ONLINE_INFERENCE_LIMITS,
  type PictureFace,
} from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { exampleEmbedding } from '../indexes/collection-routes.js';

const tag = 'Faces';
const picture = z.string().meta({ format: 'binary' }).optional();
const file = picture.describe('The picture itself, in place of `file_uri`');
const errors = ['TOO_LARGE', 'SOURCE_REFUSED', 'MEDIA_INVALID', 'MODEL_NOT_INSTALLED', 'UNAVAILABLE'] as const;
const sent =
  'As JSON with the address of the picture, or as multipart/form-data with the picture itself. JPEG, PNG, WebP, TIFF and GIF of at most ' +
  `${ONLINE_INFERENCE_LIMITS.bytes >> 20} MiB and ${ONLINE_INFERENCE_LIMITS.pixels / 1e6} megapixels; nothing of it is kept. A key has a few pictures looked at at the same ` +
  `time, and gets 429 beyond; what is not answered within ${ONLINE_INFERENCE_LIMITS.seconds} s is 503.`;

const face: PictureFace = {
  face_bbox: { x: 0.41, y: 0.22, w: 0.09, h: 0.17 },
  confidence: 0.99,
  size: 172.8,
  quality: 0.93,
  sharpness: 71.4,
  yaw: -4.1,
  pitch: 2.7,
  roll: 0.6,
  age: 34.2,
  gender: 'female',
};
const models = [{ name: exampleEmbedding.model, version: 1, digest: exampleEmbedding.digest }];
const uri = 'storage://Zb0c1VdJ2kq8Xw5tR7uA';
const near = { similarity: 0.71, distance: 0.7616 };
const found = { person: 'Anna Weber', class_id: null, indexed_identity: null, ...near };

export const detectFaces = defineRoute({
  method: 'POST',
  path: '/v1/faces/detect/',
  summary: 'Find the faces of a picture',
  description: `Where they are, how large and how sharp, and what they read as, at once and without a job. ${sent}`,
  tag,
  body: FaceDetectionRequest.optional(),
  form: FaceDetectionRequest.partial().extend({ file }).meta({ id: 'FaceDetectionForm' }),
  resource: null,
  reply: FaceDetection,
  errors: [...errors],
  example: { body: { file_uri: uri }, reply: { width: 1920, height: 1080, faces: [face], models } },
});

export const compareFaces = defineRoute({
  method: 'POST',
  path: '/v1/faces/compare/',
  summary: 'Compare the face of one picture with those of another',
  description:
    'The largest face of `a` with every face of `b`, the nearest first. A picture that shows no face, or none that is large ' +
    `enough to be compared, answers 400 with a pointer to it. ${sent}`,
  tag,
  body: FaceComparisonRequest.optional(),
  form: FaceComparisonOptions.partial()
    .extend({
      a: picture.describe('The one picture itself, in place of its address'),
      b: picture.describe('The other picture itself, in place of its address'),
    })
    .meta({ id: 'FaceComparisonForm' }),
  resource: null,
  reply: FaceComparison,
  errors: [...errors],
  example: {
    body: { a: uri, b: 'https://example.org/group.jpg' },
    reply: { same_person: true, ...near, face, matches: [{ same_person: true, ...near, face }], models },
  },
});

export const searchFaces = defineRoute({
  method: 'POST',
  path: '/v1/faces/search/',
  summary: 'Say who the faces of a picture are',
  description:
    'By a gallery (`model`), as a job with `face_recognition` would, or by an index collection (`collection`), to which nobody is ' +
    `added. ${sent}`,
  tag,
  body: FaceSearchRequest.optional(),
  form: FaceSearchRequest.partial().extend({ file }).meta({ id: 'FaceSearchForm' }),
  resource: null,
  reply: FaceSearch,
  errors: [...errors],
  example: {
    body: { file_uri: uri, model: 'team', top_k: 1 },
    reply: { width: 1920, height: 1080, faces: [{ ...face, ...found, top_k: [found] }], models },
  },
});
