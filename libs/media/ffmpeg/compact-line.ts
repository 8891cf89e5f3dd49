/** Returns the value of `name=value` in a line of ffprobe's compact writer. */
export function field(line: string, name: string): string | undefined {
  let at = line.startsWith(`${name}=`) ? 0 : line.indexOf(`|${name}=`);
  if (at < 0) return undefined;
  at = line.indexOf('=', at) + 1;
  const end = line.indexOf('|', at);
  return end < 0 ? line.slice(at) : line.slice(at, end);
}

/** Parses an integer as ffprobe writes it; NaN for anything else, and beyond what any film clock reaches. */
export function number(text: string | undefined): number {
  const value = text === undefined || !/^-?\d+$/.test(text) ? NaN : Number(text);
  return Math.abs(value) <= MAX_EXACT ? value : NaN;
}

/** Sums and differences of two such numbers are exact. */
const MAX_EXACT = 2 ** 51;
