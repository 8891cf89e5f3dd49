import {
  type ErrorCode,
  PageQuery,
  ParagraphChange,
  ParagraphDifferencePage,
  ParagraphRequest,
  Transcript,
  TranscriptAccess,
  TranscriptPage,
  TranscriptParagraph,
  TranscriptParagraphPage,
  TranscriptRequest,
  TranscriptVariant,
  TranscriptVariantPage,
  TranscriptVariantRequest,
  TranscriptVersion,
  TranscriptVersionPage,
  VersionRequest,
  UntimedPageQuery,
} from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { Message, UuidInPath } from '../http/shapes.js';
import * as examples from './transcript-examples.js';

const tag = 'Transcripts' as const;
const transcriptParams = z.object({ transcriptId: UuidInPath.describe('Id of the transcript') });
const variantParams = transcriptParams.extend({ variantId: UuidInPath.describe('Id of the variant') });
const versionParams = variantParams.extend({ version: z.string().describe('Its number or its id') });
const paragraphParams = versionParams.extend({
  paragraphId: UuidInPath.describe('Id of the paragraph, the same in all versions'),
});

const variant = '/v1/transcripts/:transcriptId/variants/:variantId';
const version = `${variant}/versions/:version`;
const paragraph = `${version}/paragraphs/:paragraphId`;

const BOUNDED =
  'What a variant holds in all its versions is bounded, and what the transcripts of a workspace hold together: 409 (`too_many`). ' +
  'They count into `storage_bytes` of the workspace as its files do: 507.';

const IfMatch = z.object({
  'If-Match': z
    .string()
    .optional()
    .describe('The ETag that was read, or the number in quotes: 412 when it has changed'),
});

export const listTranscripts = defineRoute({
  method: 'GET',
  path: '/v1/transcripts/',
  summary: 'List transcripts, newest first',
  description: 'A page of the transcripts of the workspace; filters narrow it down together.',
  tag,
  query: PageQuery.extend({
    search: z.string().max(255).optional().describe('Part of the id, the tag, the source or its name'),
    tag: z.string().max(255).optional().describe('The exact tag'),
    job_id: z.string().max(64).optional().describe('Id of a job, to list only its transcripts'),
  }),
  reply: TranscriptPage,
});

export const createTranscript = defineRoute({
  method: 'POST',
  path: '/v1/transcripts/',
  summary: 'Make a transcript of what a job has heard',
  description:
    'The job has ended and was asked for speech_recognition. The transcript has a variant in the language that was spoken, and ' +
    'another where the job translated; it goes with the job. ' +
    BOUNDED,
  tag,
  body: TranscriptRequest,
  resource: null,
  reply: Transcript,
  errors: ['CONFLICT', 'STORAGE_FULL'],
  example: { body: { job_id: examples.transcript.job.id }, reply: examples.transcript },
});

export const getTranscript = defineRoute({
  method: 'GET',
  path: '/v1/transcripts/:transcriptId/',
  summary: 'Read a transcript',
  description: 'Whose it is; its text is in its variants.',
  tag,
  params: transcriptParams,
  reply: Transcript,
  errors: ['NOT_FOUND'],
});

export const deleteTranscript = defineRoute({
  method: 'DELETE',
  path: '/v1/transcripts/:transcriptId/',
  summary: 'Delete a transcript with all its versions and exports',
  description: 'Nobody finds it any more when this answers.',
  tag,
  params: transcriptParams,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The transcript ${examples.transcript.id} was deleted.` } },
});

export const transcriptAccess = defineRoute({
  method: 'GET',
  path: '/v1/transcripts/:transcriptId/access/',
  summary: 'What the caller may do with a transcript',
  description: 'The scopes that count now, and whether there is something to listen to.',
  tag,
  params: transcriptParams,
  reply: TranscriptAccess,
  errors: ['NOT_FOUND'],
  example: { reply: examples.access },
});

export const transcriptMedia = defineRoute({
  method: 'GET',
  path: '/v1/transcripts/:transcriptId/media/',
  summary: 'The sound or film that was heard',
  description:
    'The file as it came, for a player: takes Range, If-Range and If-None-Match. It is an upload, or lies under the local roots ' +
    '(`ADIT_LOCAL_ROOTS`) of the gateway. Where it is neither, or was deleted, 404.',
  tag,
  params: transcriptParams,
  reply: { contentType: 'application/octet-stream', description: 'The file', isFile: true },
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
});

export const listVariants = defineRoute({
  method: 'GET',
  path: '/v1/transcripts/:transcriptId/variants/',
  summary: 'List the variants of a transcript',
  description: 'In the order in which they were made: the first is what was said.',
  tag,
  params: transcriptParams,
  query: PageQuery,
  reply: TranscriptVariantPage,
  errors: ['NOT_FOUND'],
  example: { reply: examplePage(examples.variant, examples.german) },
});

export const createVariant = defineRoute({
  method: 'POST',
  path: '/v1/transcripts/:transcriptId/variants/',
  summary: 'Add a variant in another language',
  description:
    '`translate` has a model translate, and answers 400 where none is installed; `copy` begins with the text as it is, for a ' +
    'person to translate. ' +
    BOUNDED,
  tag,
  params: transcriptParams,
  body: TranscriptVariantRequest,
  reply: TranscriptVariant,
  errors: ['NOT_FOUND', 'CONFLICT', 'STORAGE_FULL'],
  example: { body: { language: 'de', mode: 'copy' }, reply: examples.german },
});

export const getVariant = defineRoute({
  method: 'GET',
  path: `${variant}/`,
  summary: 'Read a variant',
  description: 'Its language, and the number of its newest version.',
  tag,
  params: variantParams,
  reply: TranscriptVariant,
  errors: ['NOT_FOUND'],
  example: { reply: examples.variant },
});

export const deleteVariant = defineRoute({
  method: 'DELETE',
  path: `${variant}/`,
  summary: 'Delete a variant with all its versions and exports',
  description:
    'Nobody finds it any more when this answers. The original, the first of the list, goes with the transcript alone: 409.',
  tag,
  params: variantParams,
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { reply: { message: `The variant ${examples.german.name} (${examples.german.id}) was deleted.` } },
});

export const listVersions = defineRoute({
  method: 'GET',
  path: `${variant}/versions/`,
  summary: 'List the versions of a variant, newest first',
  description: 'Every edit makes one; the newest is the one that is shown.',
  tag,
  params: variantParams,
  query: PageQuery,
  reply: TranscriptVersionPage,
  errors: ['NOT_FOUND'],
});

export const createVersion = defineRoute({
  method: 'POST',
  path: `${variant}/versions/`,
  summary: 'Save a version: changes of the newest one, or an older one brought back',
  description:
    'All changes are saved or none. A paragraph that somebody changed after `base_version` is a conflict: 409, and `errors` ' +
    'names it; what was changed elsewhere is kept. With `If-Match` nothing may have changed since: 412. ' +
    BOUNDED,
  tag,
  params: variantParams,
  headers: IfMatch,
  body: VersionRequest,
  reply: TranscriptVersion,
  replyHeaders: ['ETag'],
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'STORAGE_FULL'],
  example: {
    body: { base_version: 3, changes: [{ id: examples.paragraph.id, ...examples.edited }] },
    reply: examples.version,
  },
});

export const getVersion = defineRoute({
  method: 'GET',
  path: `${version}/`,
  summary: 'Read a version',
  description: 'When it was made, by which key; its paragraphs are a list of their own.',
  tag,
  params: versionParams,
  reply: TranscriptVersion,
  errors: ['NOT_FOUND'],
  example: { reply: examples.version },
});

export const deleteVersion = defineRoute({
  method: 'DELETE',
  path: `${version}/`,
  summary: 'Forget a version',
  description:
    'With the text that no other version has. The one before the newest becomes the newest; numbers are not used again. The only ' +
    'version is not deleted: 409.',
  tag,
  params: versionParams,
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { reply: { message: `Version ${examples.version.version} was deleted.` } },
});

export const versionDifferences = defineRoute({
  method: 'GET',
  path: `${version}/diff/`,
  summary: 'What lies between two versions',
  description:
    'A page of the paragraphs that they do not have in common, with the words that were taken out and put in. A page of very ' +
    'long paragraphs holds fewer than were asked for: its `limit` says how many, and `next` goes on behind them.',
  tag,
  params: versionParams,
  query: UntimedPageQuery.extend({
    from: z.string().max(64).describe('Number or id of the version to compare it with, usually an older one'),
  }),
  reply: ParagraphDifferencePage,
  errors: ['NOT_FOUND'],
  example: { reply: examplePage(examples.difference) },
});

export const listParagraphs = defineRoute({
  method: 'GET',
  path: `${version}/paragraphs/`,
  summary: 'Paragraphs of a version, in their order',
  description:
    'A page of them, every word with its times; `search` leaves those that contain a text. A page of very long paragraphs holds ' +
    'fewer than were asked for: its `limit` says how many, and `next` goes on behind them.',
  tag,
  params: versionParams,
  query: UntimedPageQuery.extend({
    search: z
      .string()
      .max(255)
      .optional()
      .describe('Part of the text or of the name of the speaker; case does not matter'),
  }),
  reply: TranscriptParagraphPage,
  errors: ['NOT_FOUND'],
});

export const getParagraph = defineRoute({
  method: 'GET',
  path: `${paragraph}/`,
  summary: 'Read a paragraph as it is in a version',
  description: 'Its ETag is for `If-Match`.',
  tag,
  params: paragraphParams,
  reply: TranscriptParagraph,
  errors: ['NOT_FOUND'],
  example: { reply: examples.paragraph },
});

const edit = {
  path: `${paragraph}/`,
  tag,
  params: paragraphParams,
  headers: IfMatch,
  reply: TranscriptParagraph,
  replyHeaders: ['ETag' as const],
  errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'STORAGE_FULL'] satisfies ErrorCode[],
};
const edited =
  'Makes a new version, unless nothing changes; words that stay keep their times. `:version` is the one that was read: when ' +
  'the paragraph was changed after it, 409; with `If-Match` its revision decides, and 412 says that it was changed. ' +
  BOUNDED;

export const replaceParagraph = defineRoute({
  ...edit,
  method: 'PUT',
  summary: 'Replace the text and the speaker of a paragraph',
  description: edited,
  body: ParagraphRequest,
  example: { body: examples.edited, reply: examples.paragraph },
});

export const changeParagraph = defineRoute({
  ...edit,
  method: 'PATCH',
  summary: 'Change some of a paragraph',
  description: edited,
  body: ParagraphChange,
  example: { body: { speaker: examples.edited.speaker }, reply: examples.paragraph },
});
