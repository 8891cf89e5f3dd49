import { z } from 'zod';

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ`, UTC, the form of every time in a reply. */
export const IsoTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .meta({ format: 'date-time' });

export function isoTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}

export function isoTimeOrNull(date: Date | null): string | null {
  return date === null ? null : isoTime(date);
}
