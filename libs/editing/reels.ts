/** The longest name of a reel in a list of CMX 3600. */
const MAX_LENGTH = 8;

/**
 * A name of a reel for each source: what its job says, else the beginning of its file's name; capitals, digits and underscores, no
 * two alike.
 */
export function reelsOf(sources: readonly { name: string; reel?: string | null }[]): string[] {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return sources.map(({ name, reel }) => {
    const wanted = lettersOf(reel ?? '') || lettersOf(name.replace(/\.[^.]*$/, '')) || 'REEL';
    const whole = beginningOf(wanted, MAX_LENGTH);
    const found = taken.has(whole) ? numbered(wanted, taken, numbers) : whole;
    taken.add(found);
    return found;
  });
}

/**
 * The first name with a number that is not taken.
 *
 * @param numbers the next one to try of each beginning: of thousands of sources all may be called the same
 */
function numbered(wanted: string, taken: ReadonlySet<string>, numbers: Map<string, number>): string {
  for (let digits = 1; ; digits += 1) {
    const stem = `${beginningOf(wanted, MAX_LENGTH - 1 - digits)}_`;
    const key = `${stem}${digits}`;
    let number = numbers.get(key) ?? Math.max(2, 10 ** (digits - 1));
    while (number < 10 ** digits && taken.has(`${stem}${number}`)) number += 1;
    numbers.set(key, number + 1);
    if (number < 10 ** digits) return `${stem}${number}`;
  }
}

function beginningOf(text: string, letters: number): string {
  return text.slice(0, letters).replace(/_+$/, '');
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}
