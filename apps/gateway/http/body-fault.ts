/** No request needs more, and code that follows values down would run out of stack. */
export const DEEPEST = 64;

/** Whether lists and objects lie in one another deeper than that. */
export function isTooDeep(value: unknown, left = DEEPEST): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (left === 0) return true;
  return Object.values(value).some((member) => isTooDeep(member, left - 1));
}
