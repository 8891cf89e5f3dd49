import { z } from 'zod';

export const DEFAULT_LIMIT = 10;
export const MAX_LIMIT = 1000;

/** `?offset=` and `?limit=`; old clients ask for limit=99999 and are given the most there is. */
export const PageQuery = z.object({
  offset: z.coerce.number().int().nonnegative().default(0),
  limit: z.coerce
    .number()
    .int()
    .positive()
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .default(DEFAULT_LIMIT)
    .meta({ default: DEFAULT_LIMIT }),
});
export type PageQuery = z.infer<typeof PageQuery>;

export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({
    total: z.int().nonnegative(),
    offset: z.int().nonnegative(),
    limit: z.int().positive(),
    next: z.string().nullable(),
    prev: z.string().nullable(),
    data: z.array(item),
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
