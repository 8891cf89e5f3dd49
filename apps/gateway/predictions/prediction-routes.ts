import { ONLINE_INFERENCE_LIMITS, Prediction, PredictionRequest } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { UuidInPath } from '../http/shapes.js';

const digest = '71d3f5b9e20c4a8866f1d3b5a7092c4e8f6a0b2d4c6e8f1a3b5d7092c4e6f8a0';
const box = { frame_index: 0, type: 'object_bbox', data: { x: 0.12, y: 0.34, w: 0.21, h: 0.4 } };

export const predict = defineRoute({
  method: 'POST',
  path: '/v1/models/:modelId/predict/',
  summary: 'Ask a model about one picture',
  description:
    'Any model that a job may name, or a version of it, for trying it out: the answer has the results of a job with this picture, ' +
    'and no job is made. The picture comes as multipart/form-data, or JSON has its address. JPEG, PNG, WebP, TIFF and GIF of at most ' +
    `${ONLINE_INFERENCE_LIMITS.bytes >> 20} MiB and ${ONLINE_INFERENCE_LIMITS.pixels / 1e6} megapixels; nothing of it is kept. What is not answered within ` +
    `${ONLINE_INFERENCE_LIMITS.seconds} s is 503.`,
  tag: 'Models',
  params: z.object({ modelId: UuidInPath.describe('Id of the model') }),
  body: PredictionRequest.optional(),
  form: PredictionRequest.partial()
    .extend({
      file: z.string().meta({ format: 'binary' }).optional().describe('The picture itself, in place of `file_uri`'),
    })
    .meta({ id: 'PredictionForm' }),
  resource: null,
  reply: Prediction,
  errors: ['NOT_FOUND', 'TOO_LARGE', 'SOURCE_REFUSED', 'MEDIA_INVALID', 'UNAVAILABLE'],
  example: {
    body: { file_uri: 'storage://Zb0c1VdJ2kq8Xw5tR7uA', arguments: { min_confidence: 50 } },
    reply: {
      module: 'object_recognition',
      width: 1920,
      height: 1080,
      results: [
        {
          type: 'object',
          label: 'bicycle',
          confidence: 0.91,
          meta: { label: 'bicycle', confidence: 0.91 },
          detections: [box],
        },
      ],
      models: [{ name: 'best', version: 2, digest }],
    },
  },
});
