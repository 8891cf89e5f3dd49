/** `HH:MM:SS` and milliseconds behind the mark; hours take more digits where they need them. */
export function clockTime(milliseconds: number, mark: '.' | ','): string {
  const digits = (value: number, count: number): string => String(value).padStart(count, '0');
  const seconds = Math.floor(milliseconds / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${parts.map((part) => digits(part, 2)).join(':')}${mark}${digits(milliseconds % 1_000, 3)}`;
}
