import { fileNameOf } from '@adit/contracts';

/** What a source is called, where `name` is what is kept of it. */
export function nameOfSource(uri: string, name: string | null): string {
  return name ?? fileNameOf(uri);
}
