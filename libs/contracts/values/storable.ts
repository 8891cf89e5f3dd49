import type { z } from 'zod';

/** U+0000 and halves of surrogate pairs: JSON carries them, PostgreSQL's text and jsonb do not. */
const UNSTORABLE = /\0|\p{Cs}/u;

/** A zod check that refuses them anywhere in a request, names of members included, with the place of the first. */
export function storable(payload: z.core.ParsePayload): void {
  const path = unstorablePath(payload.value);
  if (path === null) return;
  payload.issues.push({
    code: 'custom',
    path,
    input: payload.value,
    message: 'it holds a character that cannot be stored (U+0000 or half a surrogate pair)',
  });
}

function unstorablePath(value: unknown): string[] | null {
  if (typeof value === 'string') return UNSTORABLE.test(value) ? [] : null;
  if (value === null || typeof value !== 'object') return null;
  for (const [key, member] of Object.entries(value)) {
    if (UNSTORABLE.test(key)) return [];
    const below = unstorablePath(member);
    if (below !== null) return [key, ...below];
  }
  return null;
}
