import { malformed } from './malformed.js';

/** Larger numbers are of no use to anybody, and not exact. */
const MAX_SECONDS = 1e11;

/** Seconds of an xs:duration, such as PT1H2M3.5S; null where there is none. Throws for what is no such duration. */
export function durationOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const parts =
    /^P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12}(?:\.\d{0,20})?)S)?)?$/.exec(
      text.trim(),
    );
  if (parts === null) throw malformed(`${text.slice(0, 40)} is no duration`);
  const [years, months, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part) || 0);
  const total =
    ((years ?? 0) * 365 + (months ?? 0) * 30 + (days ?? 0)) * 86_400 +
    (hours ?? 0) * 3600 +
    (minutes ?? 0) * 60 +
    (seconds ?? 0);
  if (total > MAX_SECONDS) throw malformed(`${text.slice(0, 40)} is too long a time`);
  return total;
}

/** Seconds since 1970 of an xs:dateTime, in UTC where it names no zone; null for what is none. */
export function dateOf(text: string | undefined): number | null {
  if (text === undefined || text.length > 64) return null;
  const plain = text.trim();
  const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(plain) ? plain : `${plain}Z`);
  return Number.isNaN(time) ? null : time / 1000;
}

/** A whole number of at least 0; `otherwise` where there is none. Throws for anything else. */
export function wholeOf(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,15}$/.test(text.trim())) throw malformed(`${text.slice(0, 40)} is no number that it may have there`);
  return Number(text);
}

/** Ticks of a clock: they may be larger than what a number holds. */
export function ticksOf(text: string | undefined): bigint | null {
  if (text === undefined) return null;
  if (!/^\d{1,19}$/.test(text.trim())) throw malformed(`${text.slice(0, 40)} is no time of a segment`);
  return BigInt(text.trim());
}

/** FIRST-LAST of bytes; null where there is none. */
export function bytesOf(text: string | undefined): { offset: number; length: number } | null {
  if (text === undefined) return null;
  const [, first, last] = /^(\d{1,15})-(\d{1,15})$/.exec(text.trim()) ?? [];
  const length = Number(last) - Number(first) + 1;
  if (!(length > 0)) throw malformed(`${text.slice(0, 40)} is no range of bytes`);
  return { offset: Number(first), length };
}
