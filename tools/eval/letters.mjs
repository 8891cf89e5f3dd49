// Distance between a reading and the written text. Pure functions.

/** Without marks, strokes and kinds of quotes; case counts. */
export function folded(text) {
  const plain = { ł: 'l', Ł: 'L', ß: 'ss', ı: 'i', '’': "'", '‘': "'" };
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łŁßı’‘]/gu, (letter) => plain[letter]);
}

/** A name counts as found with at most one of its letters misread, accents aside. */
export function isNamed(label, name) {
  return editDistance(folded(label), folded(name)) <= 1;
}

export function editDistance(a, b) {
  const [one, other] = [Array.from(a), Array.from(b)];
  let before = other.map((_, i) => i + 1);
  before.unshift(0);
  for (const [i, letter] of one.entries()) {
    const row = [i + 1];
    for (const [j, second] of other.entries()) {
      row.push(Math.min(before[j] + (letter === second ? 0 : 1), before[j + 1] + 1, row[j] + 1));
    }
    before = row;
  }
  return before[other.length];
}
