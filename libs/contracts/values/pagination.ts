import { z } from 'zod';

export const DEFAULT_LIMIT = 10;
export const MAX_LIMIT = 1000;
/** A cursor may hold the longest name that a file has. */
const MAX_CURSOR_LENGTH = 24_000;

/** A day, or a time as replies show them; with any zone, or none: UTC. The `+` of a zone may have become a space on its way. */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+ -]\d\d:\d\d)?)?$/i;

/** Throws nothing: what is no time is an invalid date. */
function momentOf(text: string): Date {
  const [, day, time = '00:00', zone = 'Z'] = MOMENT.exec(text) ?? [];
  return new Date(`${day}T${time}${zone.replace(' ', '+').toUpperCase()}`);
}

/** A time or a day of a query. */
export const Moment = z
  .string()
  .max(40)
  .transform((text, context) => {
    const moment = momentOf(text);
    if (!Number.isNaN(moment.getTime())) return moment;
    context.addIssue('expected a time such as 2026-11-21T07:00:00Z, or a day');
    return z.NEVER;
  });

const LIMIT = {
  maximum: MAX_LIMIT,
  description: `Most objects of a page, 1 to ${MAX_LIMIT} (more counts as ${MAX_LIMIT}); default ${DEFAULT_LIMIT}`,
};
/** Old clients ask for limit=99999 and are given the most there is. */
const Limit = z.coerce
  .number()
  .int()
  .positive()
  .transform((limit) => Math.min(limit, MAX_LIMIT))
  .meta(LIMIT);

/** Part of a list: `offset` counts, `cursor` goes on where a page ended. */
export const UntimedPageQuery = z.object({
  offset: z.coerce
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('Objects that are left out before the page; default 0'),
  limit: Limit.default(DEFAULT_LIMIT).meta({ ...LIMIT, default: DEFAULT_LIMIT }),
  cursor: z
    .string()
    .max(MAX_CURSOR_LENGTH)
    .optional()
    .describe(
      'Empty for the first page; `next` has that of the page behind. What is made or deleted meanwhile moves nothing',
    ),
});

/** The same of what says when it was made. */
export const PageQuery = UntimedPageQuery.extend({
  time_created_from: Moment.optional().meta({
    format: 'date-time',
    description: 'A time or a day; what was made before it is left out',
  }),
  time_created_to: Moment.optional().meta({
    format: 'date-time',
    description: 'A time or a day; what was made after it is left out',
  }),
});
export type PageQuery = z.infer<typeof PageQuery>;

export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({
    total: z.int().nonnegative().describe('Total number of objects'),
    offset: z.int().nonnegative().describe('Index of the first object of the page, from 0'),
    limit: z.int().positive().describe('Most objects of the page'),
    next: z.string().nullable().describe('Address of the next page; null on the last'),
    prev: z.string().nullable().describe('Address of the page before; null on the first'),
    data: z.array(item).describe('The objects of the page'),
  });
}

export interface Page<T> {
  total: number;
  offset: number;
  limit: number;
  next: string | null;
  prev: string | null;
  data: T[];
}
