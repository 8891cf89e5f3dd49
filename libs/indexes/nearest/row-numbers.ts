import { float64At } from '@adit/contracts';

/**
 * Numbers rows by identity, in order of arrival. A Map of a million numbers would take three times the memory of its
 * keys, in a garbage-collected heap. Hashing with linear probing; nothing is ever removed.
 */
export class RowNumbers {
  private ids = new Float64Array(64);
  /** Row number plus one, 0 for empty. At most half of them are used. */
  private slots = new Uint32Array(128);
  private count = 0;

  get size(): number {
    return this.count;
  }

  idOf(row: number): number {
    return float64At(this.ids, row);
  }

  /** Returns the row of an identity, a new one if necessary. */
  rowOf(id: number): number {
    const slot = this.slotOf(id);
    const found = this.slots[slot] ?? 0;
    if (found > 0) return found - 1;
    const row = this.count;
    this.count += 1;
    if (row === this.ids.length) this.grow();
    this.ids[row] = id;
    this.slots[this.slotOf(id)] = row + 1;
    return row;
  }

  private slotOf(id: number): number {
    const mask = this.slots.length - 1;
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    let slot = (Math.imul(id | 0, 0x9e3779b1) >>> 7) & mask;
    for (;;) {
      const found = this.slots[slot] ?? 0;
      if (found === 0 || this.ids[found - 1] === id) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    const ids = new Float64Array(2 * this.ids.length);
    ids.set(this.ids);
    const rows = this.ids.length;
    this.ids = ids;
    this.slots = new Uint32Array(2 * ids.length);
    for (let row = 0; row < rows; row += 1) this.slots[this.slotOf(float64At(ids, row))] = row + 1;
  }
}
