import { z } from 'zod';

/** A segment of a live stream that starts, as it is so far: it has no row. */
export const StartedSegment = z.object({
  id: z.uuid(),
  sourceIndex: z.int(),
  frameStart: z.int().nullable(),
  frameEnd: z.int().nullable(),
  timeStart: z.number(),
  timeEnd: z.number(),
  type: z.string(),
  label: z.string(),
  confidence: z.number(),
  meta: z.record(z.string(), z.json()),
  thumbnail: z.object({ key: z.string(), width: z.int(), height: z.int() }).nullable(),
});
export type StartedSegment = z.infer<typeof StartedSegment>;

/** One that ends: the number of its row in the module, or where one started that came to nothing. */
export const EndedSegment = z.union([
  z.object({ id: z.uuid(), seq: z.int() }),
  z.object({
    id: z.uuid(),
    seq: z.null(),
    sourceIndex: z.int(),
    frame: z.int().nullable(),
    time: z.number(),
  }),
]);
export type EndedSegment = z.infer<typeof EndedSegment>;
