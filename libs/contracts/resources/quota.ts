import { z } from 'zod';
import { IsoTime } from '../values/time.js';

/** What a workspace stores, and the quota of each kind. */
export const STORAGE_KINDS = ['uploads', 'transcripts', 'recordings'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];
export const STORAGE_QUOTAS = {
  uploads: 'upload_bytes',
  transcripts: 'transcript_bytes',
  recordings: 'recording_bytes',
} as const satisfies Record<StorageKind, string>;

/** Quotas of what analyses take: what each is of, and how often it starts anew. */
export const USAGE_QUOTAS = {
  media_seconds_per_day: { of: 'media_seconds', per: 'day' },
  media_seconds_per_month: { of: 'media_seconds', per: 'month' },
  chunk_seconds_per_day: { of: 'chunk_seconds', per: 'day' },
  chunk_seconds_per_month: { of: 'chunk_seconds', per: 'month' },
  cpu_model_seconds_per_day: { of: 'cpu_model_seconds', per: 'day' },
  cpu_model_seconds_per_month: { of: 'cpu_model_seconds', per: 'month' },
  gpu_model_seconds_per_day: { of: 'gpu_model_seconds', per: 'day' },
  gpu_model_seconds_per_month: { of: 'gpu_model_seconds', per: 'month' },
} as const;

export type StorageQuotaName = (typeof STORAGE_QUOTAS)[StorageKind];
export type UsageQuotaName = keyof typeof USAGE_QUOTAS;
export type QuotaName = StorageQuotaName | UsageQuotaName;

const MEANING: Record<QuotaName, string> = {
  upload_bytes: 'Bytes that its uploaded files may have, uploads under way included',
  transcript_bytes: 'Bytes that its transcripts may have, in all versions',
  recording_bytes: 'Bytes that its recordings of live streams may have',
  media_seconds_per_day: 'Seconds of media that it may have analysed on one day in UTC',
  media_seconds_per_month: 'Seconds of media that it may have analysed in one calendar month in UTC',
  chunk_seconds_per_day: 'Seconds that its analyses may take on one day in UTC, by the clock',
  chunk_seconds_per_month: 'Seconds that its analyses may take in one calendar month in UTC, by the clock',
  cpu_model_seconds_per_day: 'Seconds that models may run on CPUs for it on one day in UTC',
  cpu_model_seconds_per_month: 'Seconds that models may run on CPUs for it in one calendar month in UTC',
  gpu_model_seconds_per_day: 'Seconds that models may run on GPUs for it on one day in UTC',
  gpu_model_seconds_per_month: 'Seconds that models may run on GPUs for it in one calendar month in UTC',
};

/** A field for each quota. */
function ofQuotas<T extends z.ZodType>(field: (quota: QuotaName) => T): Record<QuotaName, T> {
  return {
    upload_bytes: field('upload_bytes'),
    transcript_bytes: field('transcript_bytes'),
    recording_bytes: field('recording_bytes'),
    media_seconds_per_day: field('media_seconds_per_day'),
    media_seconds_per_month: field('media_seconds_per_month'),
    chunk_seconds_per_day: field('chunk_seconds_per_day'),
    chunk_seconds_per_month: field('chunk_seconds_per_month'),
    cpu_model_seconds_per_day: field('cpu_model_seconds_per_day'),
    cpu_model_seconds_per_month: field('cpu_model_seconds_per_month'),
    gpu_model_seconds_per_day: field('gpu_model_seconds_per_day'),
    gpu_model_seconds_per_month: field('gpu_model_seconds_per_month'),
  };
}

const Limit = z.int().min(1, 'at least 1; null is no quota');

/** The quotas that a workspace has. */
export const Quotas = z
  .strictObject(ofQuotas((quota) => Limit.optional().describe(`${MEANING[quota]}; left out: no quota`)))
  .meta({ id: 'Quotas' });
export type Quotas = z.infer<typeof Quotas>;

/** A change of some of them. */
export const QuotasChange = z
  .strictObject(ofQuotas((quota) => Limit.nullable().optional().describe(`${MEANING[quota]}; null: no quota`)))
  .meta({ id: 'QuotasChange' });
export type QuotasChange = z.infer<typeof QuotasChange>;

/** Where a quota stands. */
export const QuotaUse = z.strictObject({
  quota: z
    .enum(['storage_bytes', ...QuotasChange.keyof().options])
    .describe('Its name; `storage_bytes` is of everything that is stored'),
  limit: z.int().describe('The most that may be used'),
  used: z.number().describe('What is used by now'),
  left: z.number().describe('What is left; 0 also where more is used than the quota allows'),
  time_reset: IsoTime.nullable().describe('When it starts anew; null for bytes, which end with what is deleted'),
});
export type QuotaUse = z.infer<typeof QuotaUse>;
