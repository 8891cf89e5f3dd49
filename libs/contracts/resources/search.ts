import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { SourceName } from '../values/source-name.js';
import { IsoTime } from '../values/time.js';
import { FaceComparisonOptions } from './face.js';
import { PictureAddress } from './online-inference.js';
import { Thumbnail } from './results.js';
import { SearchQuestion } from './search-question.js';

export const SearchFieldName = z.enum(['who', 'what', 'said', 'written', 'where']);

/** A text of a result, with the words that were asked for. */
export const SearchMatch = z.strictObject({
  field: SearchFieldName.describe('What kind of text it is'),
  text: z.string().describe('The text, or at most 400 characters of it around the first word that was asked for'),
  words: z
    .array(
      z.strictObject({
        start: z.int().nonnegative().describe('Place of the first character in `text`, from 0, in UTF-16 code units'),
        end: z.int().nonnegative().describe('Place behind the last character'),
      }),
    )
    .describe('The words of `text` that were asked for, in order'),
});
export type SearchMatch = z.infer<typeof SearchMatch>;

/** Where a paragraph is, for those who edit it. */
export const FoundParagraph = z.strictObject({
  transcript_id: z.string().describe('Id of the transcript'),
  variant_id: z.string().describe('Id of the variant'),
  version: z.int().describe('Newest version, which it is of'),
  paragraph_id: z.string().describe('Id of the paragraph'),
});

/** A moment of a source that was found. */
export const SearchResult = z.strictObject({
  job_id: z.string().describe('Job that found it'),
  number: z
    .int()
    .nonnegative()
    .nullable()
    .describe('Number of the segment in `detailed-results/` of the job, from 0; null for a paragraph of a transcript'),
  transcript: FoundParagraph.nullable().describe('The paragraph that was found; null for a segment'),
  link: z.string().describe('Address of the segment, or of the paragraph, in this API'),
  source: z.string().describe('The source, as posted'),
  source_name: SourceName,
  source_index: z.int().nonnegative().describe('Index of the source in its job'),
  media_type: z.enum(['video', 'image', 'audio', 'videostream']).describe('Kind of the source'),
  module: z.string().describe('Module that found it, as results call it'),
  type: z.string().describe('Kind of result, such as `face`'),
  language: z.string().nullable().describe('Language of what was said, as a code such as `de`; null where it has none'),
  frame_start: z.number().nullable().describe('First frame that shows it, from 0; null of sound and of paragraphs'),
  frame_end: z.number().nullable().describe('Last frame that shows it, inclusive'),
  time_start: z.number().describe('Seconds from the start of the source; 0 of images'),
  time_end: z.number().describe('Seconds from the start of the source; 0 of images'),
  tc_start: z.string().describe('SMPTE timecode of the start, `HH:MM:SS:FF`, or `HH:MM:SS;FF` in drop-frame'),
  tc_end: z.string().describe('SMPTE timecode of the end, in the same form'),
  time_of_day: IsoTime.optional().describe('Wall clock of the start; of live streams alone'),
  exact: z
    .boolean()
    .describe('False: found by parts of words, or by words like those that were asked for; these come last'),
  matches: z.array(SearchMatch).describe('Why it was found: its texts, with the words that were asked for'),
  likeness: z
    .strictObject({
      similarity: z.number().describe('Similarity of its face and that of the photo, 0..1'),
      distance: z.number().describe('Euclidean distance of the embeddings of the two faces, 0..2'),
    })
    .nullable()
    .describe('How like its face is to that of the photo; null where none was given, or it shows no such face'),
  thumbnail: Thumbnail.nullable().describe('Picture of it; null where there is none'),
  tag: z.string().describe('Tag of the job'),
  batch_id: z.string().nullable().describe('Batch of the job; null outside of batches'),
  time_created: IsoTime.describe('When the job was made'),
});
export type SearchResult = z.infer<typeof SearchResult>;

const Values = z.array(
  z.strictObject({
    value: z.string().describe('The value'),
    count: z.int().positive().describe('Number of results with it'),
  }),
);

/** Numbers of results by value, the most frequent 20 values of each. */
export const SearchFacets = z.strictObject({
  module: Values.describe('By module, as results call it'),
  type: Values.describe('By kind of result'),
  language: Values.describe('By language of what was said'),
  tag: Values.describe('By tag of the job'),
  batch_id: Values.describe('By batch of the job'),
  job_id: Values.describe('By job'),
});
export type SearchFacets = z.infer<typeof SearchFacets>;

export const SearchPage = pageOf(SearchResult).extend({
  total: z.int().nonnegative().describe('Number of results, counted up to 10,000, or with `together` up to 1,000'),
  total_is_exact: z.boolean().describe('False: there are more than `total`'),
  fuzzy: z
    .boolean()
    .describe('Whether parts of words and misspelt words were looked for: where asked, and where the database can'),
  fuzzy_is_complete: z
    .boolean()
    .describe(
      'False: that took longer than 150 ms and was left off, so that some or all of these are missing, or a word is like more ' +
        'than 100 others, of which the most alike were looked for, or results are being indexed again. Exact results are ' +
        'complete',
    ),
  facets: SearchFacets.nullable().describe(
    'Counted where they were asked for: of at most 10,000 results, with `together` 1,000',
  ),
});
export type SearchPage = z.infer<typeof SearchPage>;

/** POST /v1/search/, beside the photo. */
export const PhotoSearchOptions = z.strictObject({ ...SearchQuestion.shape, ...FaceComparisonOptions.shape });
export type PhotoSearchOptions = z.infer<typeof PhotoSearchOptions>;

export const PhotoSearchRequest = PhotoSearchOptions.extend({ photo: PictureAddress });

export const SearchRebuild = z.strictObject({
  jobs: z.int().nonnegative().describe('Jobs that are indexed again; they can be found meanwhile'),
});
