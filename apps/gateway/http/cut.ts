/** At most so many characters of a text, the last `…` where some are left out; never half of a surrogate pair. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
