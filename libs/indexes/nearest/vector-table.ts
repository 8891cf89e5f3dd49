import { elementAt } from '@adit/contracts';
import type { Neighbour } from './port.js';

/** Rows compared between two chances to do something else. */
const ROWS_AT_ONCE = 256;

/** Embeddings by the identity they are of, row after row in one block of memory. */
export class VectorTable {
  private vectors: Float32Array;
  private readonly ids: string[] = [];
  private readonly rowOf = new Map<string, number>();

  constructor(private readonly dimensions: number) {
    this.vectors = new Float32Array(dimensions * ROWS_AT_ONCE);
  }

  get size(): number {
    return this.ids.length;
  }

  has(id: string): boolean {
    return this.rowOf.has(id);
  }

  set(id: string, vector: Float32Array): void {
    let row = this.rowOf.get(id);
    if (row === undefined) {
      row = this.ids.push(id) - 1;
      this.rowOf.set(id, row);
      if (this.ids.length * this.dimensions > this.vectors.length) {
        const larger = new Float32Array(this.vectors.length * 2);
        larger.set(this.vectors);
        this.vectors = larger;
      }
    }
    this.vectors.set(vector, row * this.dimensions);
  }

  /** The nearest of all, nearest first; of equally near ones the first. */
  *nearest(query: Float32Array, limit: number): Generator<void, Neighbour[]> {
    const best: { row: number; dot: number }[] = [];
    for (let row = 0; row < this.ids.length; row += 1) {
      const dot = this.dot(query, row);
      if (best.length < limit || dot > elementAt(best, -1).dot) {
        let at = best.length;
        while (at > 0 && elementAt(best, at - 1).dot < dot) at -= 1;
        best.splice(at, 0, { row, dot });
        best.length = Math.min(best.length, limit);
      }
      if (row % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield;
    }
    return best.map(({ row, dot }) => ({
      indexId: elementAt(this.ids, row),
      distance: Math.sqrt(Math.max(0, 2 - 2 * dot)),
    }));
  }

  private dot(query: Float32Array, row: number): number {
    const base = row * this.dimensions;
    let sum = 0;
    // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- every embedding of a collection is of its dimensions
    for (let at = 0; at < this.dimensions; at += 1) sum += query[at]! * this.vectors[base + at]!;
    return sum;
  }
}
