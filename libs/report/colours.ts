const HUES = 24;

/**
 * A hue in degrees for each label. It follows from the label's own letters, so that a person keeps a colour from report
 * to report; when two labels of one report fall on the same hue, the later in order moves on to the next free one.
 */
export function huesOf(labels: Iterable<string>): Map<string, number> {
  const taken = new Set<number>();
  const hues = new Map<string, number>();
  for (const label of [...new Set(labels)].sort()) {
    let slot = hash(label) % HUES;
    if (taken.size < HUES) while (taken.has(slot)) slot = (slot + 7) % HUES;
    taken.add(slot);
    hues.set(label, (slot * 360) / HUES);
  }
  return hues;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}
