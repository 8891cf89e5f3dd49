import { fileNameOf } from '@adit/contracts';

/** Name of a source; `name` is the stored one. */
export function nameOfSource(uri: string, name: string | null): string {
  return name ?? fileNameOf(uri);
}
