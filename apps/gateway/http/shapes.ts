import { PageQuery } from '@adit/contracts';
import { z } from 'zod';
import type { OtherAnswer } from './route.js';

/** The id of a row in the path. What is no UUID cannot exist: it passes the check and is answered with 404. */
export const UuidInPath = z.string().meta({ format: 'uuid' });
/** The same of rows that are counted. */
export const NumberInPath = z.string().meta({ type: 'integer', format: 'int64' });

/** For lists that are plain unless a page of them is asked for. */
export const OptionalPage = z.object({
  offset: PageQuery.shape.offset.unwrap().optional(),
  limit: PageQuery.shape.limit.unwrap().optional(),
});

/** What such a list answers then. */
export function inPages(reply: z.ZodType): OtherAnswer {
  return {
    name: 'Page',
    summary: 'The same list in pages',
    description: 'The path above, asked with `limit`. `next` and `prev` are the addresses of the pages beside it.',
    query: z.object({ offset: PageQuery.shape.offset, limit: PageQuery.shape.limit.unwrap() }),
    reply,
  };
}

/** A query parameter that is on or off. */
export const Flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .meta({ type: 'boolean' });

export const Message = z.strictObject({ message: z.string() }).meta({ id: 'Message' });
