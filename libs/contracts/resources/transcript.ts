import { z } from 'zod';
import { AccessScope } from './access-key.js';
import { Job } from './job.js';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

const seconds = z.number().nonnegative();

/** A word as it is written, punctuation with it; times in seconds from the start of the source. */
export const TranscriptWord = z.strictObject({
  text: z.string().describe('The word as it is written, punctuation with it'),
  time_start: seconds.describe('Seconds from the start of the source'),
  time_end: seconds.describe('Seconds from the start of the source'),
  confidence: z.number().min(0).max(1).describe('0 to 1; 1 for what a person wrote'),
});
export type TranscriptWord = z.infer<typeof TranscriptWord>;

/** `meta` of a segment of speech_recognition: a paragraph. Strict nowhere: other builds may add fields. */
export const SpeechMeta = z.object({
  text: z.string(),
  /** ISO 639-1. */
  language: z.string().nullable(),
  speaker: z.string().nullable(),
  confidence: z.number().min(0).max(1),
  /** With `word_level_timestamps`. In order; with what lies between them they are the text. */
  words: z.array(TranscriptWord.loose()).optional(),
});
export type SpeechMeta = z.infer<typeof SpeechMeta>;

/** Formats of a transcript file. */
export const TranscriptFormat = z.enum(['srt', 'vtt', 'ttml', 'stl', 'txt', 'docx', 'json']);
export type TranscriptFormat = z.infer<typeof TranscriptFormat>;

/** Most of what a client sends at once, and of what a transcript has. */
export const TRANSCRIPT_LIMITS = {
  paragraphs: 50_000,
  changes: 1_000,
  characters: 10_000,
  words: 2_000,
  speaker: 200,
  versions: 100_000,
  variants: 100,
} as const;

/** `job` is shown without its webhook: tokens of access keys read transcripts too. */
export const Transcript = z.strictObject({
  id: z.uuid().describe('Id of the transcript'),
  tag: z.string().describe('Text of your own; that of the job where none was given'),
  job: Job.extend({ is_synced_to_kg: z.boolean().describe('Always false') }).describe(
    'The job that heard it, without its webhook',
  ),
  source: z.string().describe('The source that was heard, as posted'),
  time_created: IsoTime.describe('When it was created'),
  time_updated: IsoTime.describe('When it was changed last'),
});
export type Transcript = z.infer<typeof Transcript>;
export const TranscriptPage = pageOf(Transcript);

/** Rights of the caller on a transcript, for pages that show nothing else. */
export const TranscriptAccess = z.strictObject({
  scopes: z.array(AccessScope).describe('Current scopes of the access key; for an API key the rights of its role'),
  media: z
    .strictObject({
      filename: z.string().describe('Name of the file'),
      content_type: z.string().nullable().describe('Its media type; null where it is not known'),
      size: z.int().nonnegative().describe('Bytes'),
    })
    .nullable()
    .describe(
      'The file that was heard; null where it is neither an upload nor under the local roots of the gateway, or was deleted',
    ),
});
export type TranscriptAccess = z.infer<typeof TranscriptAccess>;

/** POST /v1/transcripts/. */
export const TranscriptRequest = z.strictObject({
  job_id: z.string().max(64).describe('A job that has ended and was asked for speech_recognition'),
  source: z.string().max(4096).optional().describe('Address of the source; required if the job has several'),
  tag: z.string().max(255).optional().describe('Default: that of the job'),
});
export type TranscriptRequest = z.infer<typeof TranscriptRequest>;

const language = z.string().trim().min(2).max(35);

/** The text of a transcript in one language. */
export const TranscriptVariant = z.strictObject({
  id: z.uuid().describe('Id of the variant'),
  name: z.string().describe('Name of the variant'),
  language: z.string().nullable().describe('ISO 639-1'),
  latest_version: z.int().positive().describe('Number of its newest version'),
  time_created: IsoTime.describe('When it was created'),
  time_updated: IsoTime.describe('When it was changed last'),
});
export type TranscriptVariant = z.infer<typeof TranscriptVariant>;
export const TranscriptVariantPage = pageOf(TranscriptVariant);

/** POST /v1/transcripts/{id}/variants/. */
export const TranscriptVariantRequest = z.strictObject({
  language: language.describe('The language it is in, such as `de`'),
  name: z.string().trim().min(1).max(255).optional().describe('Default: the language'),
  variant_id: z.string().max(64).optional().describe('The variant to begin with. Default: the first'),
  mode: z
    .enum(['translate', 'copy'])
    .default('translate')
    .describe('`translate` needs a model that does; `copy` takes the text as it is, for a person to translate'),
});
export type TranscriptVariantRequest = z.infer<typeof TranscriptVariantRequest>;

export const TranscriptVersion = z.strictObject({
  id: z.uuid().describe('Id of the version'),
  version: z.int().positive().describe('Number of the version, from 1'),
  time_created: IsoTime.describe('When it was saved'),
  paragraph_count: z.int().nonnegative().describe('Paragraphs it has'),
  author: z.string().describe('Name of the key that made it'),
  restored_version: z.int().positive().nullable().describe('The version that it brought back'),
});
export type TranscriptVersion = z.infer<typeof TranscriptVersion>;
export const TranscriptVersionPage = pageOf(TranscriptVersion);

export const TranscriptParagraph = z.strictObject({
  id: z.uuid().describe('The same in all versions'),
  index: z.int().nonnegative().describe('Its place in the version, from 0'),
  revision: z.int().positive().describe('The version that it was changed in last, for If-Match'),
  text: z.string().describe('Spoken text'),
  speaker: z.string().nullable().describe('Who said it; null where nobody knows'),
  time_start: seconds.describe('Seconds from the start of the source'),
  time_end: seconds.describe('Seconds from the start of the source'),
  words: z.array(TranscriptWord).describe('Its words, each with its times'),
});
export type TranscriptParagraph = z.infer<typeof TranscriptParagraph>;
export const TranscriptParagraphPage = pageOf(TranscriptParagraph);

const { characters, words, speaker: longestName, changes: mostChanges } = TRANSCRIPT_LIMITS;
/** Counts what lies between blanks, which costs little; what is split further is counted where it is aligned. */
const paragraphText = z
  .string()
  .max(characters)
  .refine((value) => (value.match(/\S+/gu)?.length ?? 0) <= words, `at most ${words} words`);
const speakerName = z.string().trim().min(1).max(longestName).nullable();
/** A week. */
const time = z.number().nonnegative().max(604_800);
const times = {
  time_start: time.optional().describe('Seconds from the start of the source, at most a week; left out: as it is'),
  time_end: time.optional().describe('Seconds from the start of the source, at most a week; left out: as it is'),
};

/** PUT of a paragraph; its words are aligned anew. Times that are left out stay. */
export const ParagraphRequest = z.strictObject({
  text: paragraphText.describe('Spoken text, at most 10000 characters and 2000 words'),
  speaker: speakerName.default(null).describe('Who said it; null, the default: nobody knows'),
  ...times,
});
export type ParagraphRequest = z.infer<typeof ParagraphRequest>;

/** PATCH of a paragraph: what is left out stays. */
export const ParagraphChange = z.strictObject({
  text: paragraphText.optional().describe('Spoken text, at most 10000 characters and 2000 words; default: unchanged'),
  speaker: speakerName.optional().describe('Who said it; null: nobody knows; left out: as it is'),
  ...times,
});
export type ParagraphChange = z.infer<typeof ParagraphChange>;

const id = z.string().max(64);
export const ParagraphRemoval = z.strictObject({
  id: id.describe('Id of the paragraph'),
  remove: z.literal(true).describe('Always true: the paragraph is taken out'),
});
export const ParagraphEdit = z.strictObject({ id: id.describe('Id of the paragraph'), ...ParagraphChange.shape });
export const ParagraphInsertion = z.strictObject({
  after: id.nullable().describe('Id of the paragraph that it follows; null: it is the first'),
  text: paragraphText.describe('Spoken text, at most 10000 characters and 2000 words'),
  speaker: speakerName.default(null).describe('Who said it; null, the default: nobody knows'),
  time_start: time.describe('Seconds from the start of the source, at most a week'),
  time_end: time.describe('Seconds from the start of the source, at most a week'),
});
export type ParagraphInsertion = z.infer<typeof ParagraphInsertion>;
/** One change of a new version. */
export const VersionChange = z.union([ParagraphRemoval, ParagraphEdit, ParagraphInsertion]);
export type VersionChange = z.infer<typeof VersionChange>;

/** POST of a version: changes of the newest one, or an older one brought back. */
export const VersionRequest = z
  .strictObject({
    base_version: z
      .int()
      .positive()
      .optional()
      .describe('The version that was edited: what was changed since is not overwritten, 409. Default: the newest'),
    changes: z
      .array(VersionChange)
      .max(mostChanges)
      .default([])
      .describe('Changes, at most 1000 at once; all are saved or none'),
    restore_version: z
      .union([z.int().positive(), z.string().max(64)])
      .optional()
      .describe('Its number or id'),
  })
  .refine(
    ({ changes, restore_version: restored }) => restored === undefined || changes.length === 0,
    'give changes or restore_version, not both',
  );
export type VersionRequest = z.infer<typeof VersionRequest>;

/** A paragraph that two versions do not have in common. */
export const ParagraphDifference = z.strictObject({
  id: z.uuid().describe('Id of the paragraph'),
  kind: z
    .enum(['added', 'removed', 'changed'])
    .describe('Whether it is only in the version of the path, only in that of `from`, or different in both'),
  before: TranscriptParagraph.omit({ words: true, index: true })
    .nullable()
    .describe('Paragraph in the version of `from`; null if missing'),
  after: TranscriptParagraph.omit({ words: true, index: true })
    .nullable()
    .describe('Paragraph in the version of the path; null if missing'),
  words: z
    .array(
      z.strictObject({
        kind: z
          .enum(['same', 'removed', 'added'])
          .describe('Whether both versions have the word, only that of `from`, or only that of the path'),
        text: z.string().describe('The word'),
      }),
    )
    .describe('The words of both, in order'),
});
export type ParagraphDifference = z.infer<typeof ParagraphDifference>;
export const ParagraphDifferencePage = pageOf(ParagraphDifference);

/** Configuration of the export strategy transcript_export. */
export const TranscriptExport = z.strictObject({
  transcript_id: z.string().max(64),
  variant_id: z.string().max(64),
  version: z
    .union([z.int().positive(), z.string().max(64)])
    .optional()
    .describe('Number or id. Default: the newest'),
  format: TranscriptFormat,
  underline_words: z.boolean().default(false).describe('srt and vtt: the word that is being said'),
});
export type TranscriptExport = z.infer<typeof TranscriptExport>;
