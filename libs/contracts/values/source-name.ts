import { z } from 'zod';

/** Display name of a source. */
export const SourceName = z
  .string()
  .describe('Name of the file: as it was uploaded, or the last part of its path or address');

/** The name of a file by its path or its address, as far as that says one. */
export function fileNameOf(source: string): string {
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(source);
  const path = isAddress ? source.replace(/[?#].*$/, '') : source;
  const last = path.split('/').filter(Boolean).at(-1) ?? source;
  return isAddress ? decoded(last) : last;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
