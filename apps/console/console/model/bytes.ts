const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes in the decimal unit that suits it: `734 MB`, `1.5 GB`. */
export function bytesText(bytes: number, locale: string): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  const digits = power === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toLocaleString(locale, { maximumFractionDigits: digits })} ${UNITS[power]}`;
}
