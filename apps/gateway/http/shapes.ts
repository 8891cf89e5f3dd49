import { DEFAULT_LIMIT, MAX_LIMIT, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import type { OtherAnswer } from './route.js';

/** The id of a row in the path. What is no UUID cannot exist: it passes the check and is answered with 404. */
export const UuidInPath = z.string().meta({ format: 'uuid' });
/** The same of rows that are counted. */
export const NumberInPath = z.string().meta({ type: 'integer', format: 'int64' });

/** Query of lists that are plain unless a page of them is asked for. */
export const OptionalPage = PageQuery.extend({
  offset: PageQuery.shape.offset
    .unwrap()
    .optional()
    .describe('Objects that are left out before the page; without it and `limit` all come as a plain list'),
  limit: PageQuery.shape.limit
    .unwrap()
    .optional()
    .describe(
      `Most objects of a page, 1 to ${MAX_LIMIT} (more counts as ${MAX_LIMIT}), ${DEFAULT_LIMIT} with offset alone; without both all come as a plain list`,
    ),
});
type OptionalPage = z.infer<typeof OptionalPage>;

/** The page that such a list was asked for; null for all of it. */
export function askedPage({ offset, limit, cursor, ...rest }: OptionalPage): PageQuery | null {
  if (offset === undefined && limit === undefined && cursor === undefined) return null;
  return { offset: offset ?? 0, limit: limit ?? DEFAULT_LIMIT, cursor, ...rest };
}

/** Returns the reply of such a list when a page is asked for. */
export function inPages(reply: z.ZodType): OtherAnswer {
  const { offset, limit, cursor } = PageQuery.shape;
  return {
    name: 'Page',
    summary: 'The same list in pages',
    description: 'The path above, asked with `limit`. `next` and `prev` are the addresses of the pages beside it.',
    query: z.object({
      offset,
      limit: limit.unwrap().describe(`Most objects of a page, 1 to ${MAX_LIMIT}: more counts as ${MAX_LIMIT}`),
      cursor,
    }),
    reply,
  };
}

/** A query parameter that is on or off. */
export const Flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .meta({ type: 'boolean' });

export const Message = z
  .strictObject({ message: z.string().describe('Text for people about what was done') })
  .meta({ id: 'Message' });
