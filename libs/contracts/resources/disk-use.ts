import { z } from 'zod';
import { IsoTime } from '../values/time.js';

/**
 * uploads: files of the storage · jobs: artifacts, pictures and frames of jobs, exports · cache: what is known of media · models:
 * networks and galleries that were uploaded · other: everything else in the object store · database · work: fetched sources.
 */
export const DISK_KINDS = ['uploads', 'jobs', 'cache', 'models', 'other', 'database', 'work'] as const;
export const DiskKind = z.enum(DISK_KINDS);
export type DiskKind = z.infer<typeof DiskKind>;

export const DiskUse = z
  .strictObject({
    kinds: z
      .array(
        z
          .strictObject({
            kind: DiskKind.describe('What takes the space'),
            bytes: z.int().nonnegative().describe('Bytes that it takes'),
            objects: z.int().nonnegative().nullable().describe('Number of files or objects; null for the database'),
            time_measured: IsoTime.describe('When it was measured'),
          })
          .meta({ id: 'DiskUseOfKind' }),
      )
      .describe(
        'By kind; empty until it was measured for the first time. `work` is there where one process does everything: of decoders of ' +
          'their own the metric adit_work_bytes tells',
      ),
  })
  .meta({ id: 'DiskUse' });
export type DiskUse = z.infer<typeof DiskUse>;
