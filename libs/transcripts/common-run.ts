/** Beyond this, what lies between equal beginnings and ends has nothing in common: 16 MiB of bits. */
const MAX_BITS = 2 ** 27;
const WORD = 32;

/**
 * Pairs of indices of a longest common subsequence, in order. Rows of the table of lengths are kept as the bits in which they
 * grow, 32 columns at a time (Hyyrö, "Bit-parallel LCS-length computation revisited", 2004): 10,000 words are compared with
 * 10,000 others in about the time of reading them.
 */
export function commonRun(a: string[], b: string[]): [number, number][] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const pairs: [number, number][] = Array.from({ length: head }, (_, at) => [at, at]);
  const [restOfA, restOfB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  for (const [left, right] of longest(restOfA, restOfB)) pairs.push([head + left, head + right]);
  for (let at = tail; at > 0; at -= 1) pairs.push([a.length - at, b.length - at]);
  return pairs;
}

function longest(a: string[], b: string[]): [number, number][] {
  const [rows, columns] = [a.length, b.length];
  const words = Math.ceil(columns / WORD);
  if (rows * words * WORD > MAX_BITS) return [];
  const places = placesOf(b, new Set(a), words);
  const grown = new Uint32Array(rows * words);
  const bits = new Uint32Array(words).fill(2 ** WORD - 1);
  for (let row = rows - 1; row >= 0; row -= 1) {
    const equal = places.get(a[row] ?? '');
    if (equal !== undefined) step(bits, equal);
    grown.set(bits, row * words);
  }
  const pairs: [number, number][] = [];
  for (let row = 0, column = 0; row < rows && column < columns;) {
    const bit = columns - 1 - column;
    const isLonger = (((grown[row * words + Math.floor(bit / WORD)] ?? 0) >>> (bit % WORD)) & 1) === 0;
    if (a[row] === b[column]) pairs.push([row++, column++]);
    // With this column what is left has one more in common than without; where no word equals it here, one below does.
    else if (isLonger) row += 1;
    else column += 1;
  }
  return pairs;
}

/** Returns the places of each of these words in `b`, from its end, as bits. */
function placesOf(b: string[], wanted: ReadonlySet<string>, words: number): Map<string, Uint32Array> {
  const places = new Map<string, Uint32Array>();
  for (const [at, word] of b.entries()) {
    if (!wanted.has(word)) continue;
    const bits = places.get(word) ?? new Uint32Array(words);
    const bit = b.length - 1 - at;
    const index = Math.floor(bit / WORD);
    bits[index] = (bits[index] ?? 0) | (1 << (bit % WORD));
    places.set(word, bits);
  }
  return places;
}

/** The next row: bits + (bits & equal) | bits & ~equal, a long number whose lowest bits come first. */
function step(bits: Uint32Array, equal: Uint32Array): void {
  let carry = 0;
  for (let index = 0; index < bits.length; index += 1) {
    const before = bits[index] ?? 0;
    const same = (before & (equal[index] ?? 0)) >>> 0;
    const sum = before + same + carry;
    carry = sum >= 2 ** WORD ? 1 : 0;
    bits[index] = sum | (before & ~same);
  }
}
