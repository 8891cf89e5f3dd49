const HUES = 24;
/** Neighbours are at least this many of the hues apart. */
const APART = 4;
/** Labels shown before it that a label must not be taken for. */
const NEIGHBOURS = 2;

/**
 * A hue in degrees for each label, given in the order shown. It follows from the label's own letters, so that a person mostly
 * keeps a colour from report to report; where that hue is taken, or like that of the labels just before, the label moves on to
 * the next that is free. Beyond 24 labels hues come again, but not side by side.
 */
export function huesOf(labels: Iterable<string>): Map<string, number> {
  const taken = new Set<number>();
  const slots = new Map<string, number>();
  for (const label of new Set(labels)) {
    if (taken.size === HUES) taken.clear();
    const before = [...slots.values()].slice(-NEIGHBOURS);
    // Seven and the number of hues have no common factor, so every one is come by.
    const path = Array.from({ length: HUES }, (_, step) => (hash(label) + step * 7) % HUES);
    const apart = path.filter((slot) => before.every((other) => between(slot, other) >= APART));
    const free = apart.find((slot) => !taken.has(slot)) ?? apart[0] ?? 0;
    taken.add(free);
    slots.set(label, free);
  }
  return new Map([...slots].map(([label, slot]) => [label, (slot * 360) / HUES]));
}

/** Steps between two hues the shorter way round. */
function between(a: number, b: number): number {
  const steps = Math.abs(a - b);
  return Math.min(steps, HUES - steps);
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}
