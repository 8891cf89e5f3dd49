/** The longest name of a reel in a list of CMX 3600. */
const LONGEST = 8;

/**
 * A name of a reel for each source: what its job says, else the beginning of its file's name; capitals, digits and underscores, no
 * two alike.
 */
export function reelsOf(sources: readonly { name: string; reel?: string | null }[]): string[] {
  const taken = new Set<string>();
  return sources.map(({ name, reel }) => {
    const wanted = lettersOf(reel ?? '') || lettersOf(name.replace(/\.[^.]*$/, '')) || 'REEL';
    for (let number = 1; ; number += 1) {
      const ending = number === 1 ? '' : `_${number}`;
      const candidate = wanted.slice(0, LONGEST - ending.length).replace(/_+$/, '') + ending;
      if (taken.has(candidate)) continue;
      taken.add(candidate);
      return candidate;
    }
  });
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}
