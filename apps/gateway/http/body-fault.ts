/** No request needs more, and code that follows values down would run out of stack. */
const DEEPEST = 64;

/** Nest's validation takes these keys out of what it is given, wherever they are, and says nothing. */
const LOST = ['__proto__', 'constructor', 'prototype'];

/** Why a parsed body cannot be taken, however it is shaped otherwise; null when it can. */
export function bodyFault(value: unknown, left = DEEPEST): string | null {
  if (value === null || typeof value !== 'object') return null;
  if (left === 0) return `The body is nested deeper than ${DEEPEST} levels.`;
  if (!Array.isArray(value)) {
    const key = LOST.find((name) => Object.hasOwn(value, name));
    if (key !== undefined) return `The body has a key that cannot be kept: ${key}.`;
  }
  for (const member of Object.values(value)) {
    const fault = bodyFault(member, left - 1);
    if (fault !== null) return fault;
  }
  return null;
}
