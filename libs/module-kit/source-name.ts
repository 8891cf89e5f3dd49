const MAX_LENGTH = 80;

/**
 * Returns the base name of a source's files, from its name or address: without folders, extension, and characters that
 * file systems forbid.
 */
export function sourceName(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  const name = last.replace(/\.[^.]+$/, '').replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-');
  return [...name.replace(/^[-.]+/, '')].slice(0, MAX_LENGTH).join('');
}
