import { createHash } from 'node:crypto';
import { z } from 'zod';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** An object of JSON, such as the arguments of a module as they are stored. */
export const JsonObject = z.record(z.string(), z.json());

/** Tells whether a value has members that can be asked for by name: any object but null; a list is one, too. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** JSON of what may be left out: undefined, for which JSON has no word, is null. */
export function jsonText(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

/** JSON with sorted keys and without undefined members: equal values give equal bytes (after RFC 8785's key order). */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return jsonText(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Lower-case hex SHA-256 of the canonical JSON of `value`. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
