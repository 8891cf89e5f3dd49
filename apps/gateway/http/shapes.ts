import { PageQuery } from '@adit/contracts';
import { z } from 'zod';

/** The id of a row in the path; what is no UUID cannot exist, which the handler answers with 404. */
export const IdParams = (name: string) => z.object({ [name]: z.string() });

/** For lists that are plain unless a page of them is asked for. */
export const OptionalPage = z.object({
  offset: PageQuery.shape.offset.unwrap().optional(),
  limit: PageQuery.shape.limit.unwrap().optional(),
});

export const Message = z.strictObject({ message: z.string() });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the database can be asked for it at all. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
