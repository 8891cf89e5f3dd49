import {
  ONLINE_INFERENCE_LIMITS,
  PageQuery,
  PhotoSearchRequest,
  PictureAddress,
  SearchPage,
  SearchQuestion,
  SearchRebuild,
} from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Flag } from '../http/shapes.js';
import { exampleSearch } from './search-examples.js';

const tag = 'Search';
/** Results that a page may hold, and the last one that `offset` reaches. */
export const MAX_RESULTS = 100;
export const MAX_OFFSET = 10_000;
const facets = Flag.optional().describe(
  'Whether results are counted by module, type, language, tag, batch and job; default false',
);

export const search = defineRoute({
  method: 'GET',
  path: '/v1/search/',
  summary: 'Moments of all jobs',
  description:
    'Finds segments and paragraphs of transcripts in all jobs of the workspace, by what is asked in `q` and in the fields, ' +
    'which all have to be found; without any, all that the filters leave. Each takes words, "phrases", `AND`, `OR`, `NOT` ' +
    'and parentheses; words beside each other are joined by `AND`. `q` also takes `who:`, `what:`, `said:`, `written:` and ' +
    '`where:` before a word, a phrase or a parenthesis. What is asked is found in one result, or, with `together`, in results ' +
    'near each other. The order is: exact before others, then the shortest, then the newest; without a question the newest first. ' +
    'A page has at most 100.',
  tag,
  query: PageQuery.extend({
    ...SearchQuestion.shape,
    together: z.coerce
      .number()
      .pipe(SearchQuestion.shape.together.unwrap())
      .optional()
      .describe(SearchQuestion.shape.together.description ?? ''),
    fuzzy: Flag.optional().describe(SearchQuestion.shape.fuzzy.description ?? ''),
    facets,
  }),
  reply: SearchPage,
  example: { reply: exampleSearch },
});

export const searchByPhoto = defineRoute({
  method: 'POST',
  path: '/v1/search/',
  summary: 'Moments that show the person of a photo',
  description:
    'Finds segments with a face like the largest one of a photo, the nearest first, and of those what is asked beside it as in ' +
    '`GET /v1/search/`: in the same result, or with `together` near it. Of a workspace the 1,000 nearest faces are looked at. As ' +
    'JSON with the address of the photo, or as multipart/form-data with the photo itself; nothing of it is kept, and `next` is asked ' +
    'with it again. JPEG, PNG, WebP, TIFF and GIF of at most ' +
    `${ONLINE_INFERENCE_LIMITS.bytes >> 20} MiB and ${ONLINE_INFERENCE_LIMITS.pixels / 1e6} megapixels. It takes a workspace that keeps faces, which are biometric data: ` +
    '`faces` of `PUT /v1/retention/`; another answers 409.',
  tag,
  query: PageQuery.extend({ facets }),
  body: PhotoSearchRequest.optional(),
  form: PhotoSearchRequest.partial()
    .extend({
      photo: z
        .union([z.string().meta({ format: 'binary' }), PictureAddress])
        .optional()
        .describe('The photo itself, or its address'),
    })
    .meta({ id: 'PhotoSearchForm' }),
  resource: null,
  reply: SearchPage,
  errors: ['TOO_LARGE', 'SOURCE_REFUSED', 'MEDIA_INVALID', 'MODEL_NOT_INSTALLED', 'UNAVAILABLE', 'CONFLICT'],
  example: { body: { photo: 'storage://Zb0c1VdJ2kq8Xw5tR7uA', said: 'budget', together: 10 } },
});

export const rebuildSearch = defineRoute({
  method: 'POST',
  path: '/v1/search/rebuild/',
  summary: 'Index everything again',
  description:
    'Has all results of the workspace indexed again, job by job, in the background; they can be found meanwhile. It is ' +
    'needed for nothing that Adit does by itself.',
  tag,
  access: 'admin',
  resource: null,
  reply: SearchRebuild,
  example: { reply: { jobs: 318 } },
});
