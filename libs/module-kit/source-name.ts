const LONGEST = 80;

/** What the files of a source are called, from its name or address: without folders, extension, and what file systems may not take. */
export function sourceName(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  const name = last.replace(/\.[^.]+$/, '').replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-');
  return [...name.replace(/^[-.]+/, '')].slice(0, LONGEST).join('');
}
