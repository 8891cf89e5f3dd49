import { z } from 'zod';
import { Moment } from '../values/pagination.js';

/** Characters of a question, in one field. */
export const MAX_QUESTION_LENGTH = 1_000;
/** An hour. */
const MAX_TOGETHER_SECONDS = 3_600;

/** An instant, a range that may be open, both ends included. */
export interface TimeRange {
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Degrees; `west` is more than `east` where the box goes over the date line. */
export interface GeoBox {
  south: number;
  west: number;
  north: number;
  east: number;
}

/** The range that `when` names; null for anything else. */
export function timeRangeOf(text: string): TimeRange | null {
  const [from = '', to = from, ...more] = text.split('/');
  const [first, last] = [from, to].map((each) => (each === '' ? undefined : Moment.safeParse(each).data));
  const isRange = more.length === 0 && (from === '' || first !== undefined) && (to === '' || last !== undefined);
  return isRange && (first !== undefined || last !== undefined) ? { from: first, to: last } : null;
}

/** The box that `box` names; null for anything else. */
export function boxOf(text: string): GeoBox | null {
  const numbers = text.split(',').map((each) => (each.trim() === '' ? NaN : Number(each)));
  const [south = NaN, west = NaN, north = NaN, east = NaN] = numbers;
  const isBox = numbers.length === 4 && south >= -90 && south <= north && north <= 90;
  return isBox && Math.abs(west) <= 180 && Math.abs(east) <= 180 ? { south, west, north, east } : null;
}

/** Longer ones are refused with the place. */
const words = z
  .string()
  .max(10 * MAX_QUESTION_LENGTH)
  .optional();

/** What a search asks, as a client writes it: in a query, and in the body of a saved search. */
export const SearchQuestion = z.object({
  q: words.describe(`The question, at most ${MAX_QUESTION_LENGTH} characters: anything, or \`field:\` before it`),
  who: words.describe('People: names of galleries and identities, speakers, captions that name somebody'),
  what: words.describe('Things, scenes, and what pictures show'),
  said: words.describe('Speech; the newest versions of transcripts where there are any'),
  written: words.describe('Captions'),
  where: words.describe('Landmarks, their kind and what they lie in'),
  module: z.string().max(255).optional().describe('Id of a module, or the name its results carry'),
  job_id: z.uuid().optional().describe('Of this job alone'),
  batch_id: z.uuid().optional().describe('Of jobs of this batch alone'),
  tag: z.string().max(255).optional().describe('Of jobs with exactly this tag'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/i, 'expected a code such as de')
    .optional()
    .describe('Said in this language, as a code such as `de`'),
  when: z
    .string()
    .max(100)
    .refine(
      (text) => timeRangeOf(text) !== null,
      'expected a time such as 2026-11-21T07:00:00Z, or two with a slash between, of which one may be missing',
    )
    .optional()
    .describe(
      'A time or day, or two with a slash between, one of which may be missing: the wall clock of live streams, and when ' +
        'the jobs of other sources were made',
    ),
  box: z
    .string()
    .max(200)
    .refine((text) => boxOf(text) !== null, 'expected south,west,north,east in degrees, such as 49.3,8.5,49.5,8.8')
    .optional()
    .describe('Landmarks within `south,west,north,east` in degrees; `west` is more than `east` over the date line'),
  together: z
    .number()
    .min(0)
    .max(MAX_TOGETHER_SECONDS)
    .optional()
    .describe(
      `Seconds, 0 to ${MAX_TOGETHER_SECONDS}: what is joined by the outermost AND may be in several results of one source, ` +
        'at most so far apart',
    ),
  fuzzy: z.boolean().optional().describe('Whether parts of words and misspelt words count, last; default true'),
});
export type SearchQuestion = z.infer<typeof SearchQuestion>;
