/** Growable list of numbers at eight bytes each. */
import { elementAt } from '@adit/contracts';
export class NumberList {
  private values = new Float64Array(1024);
  private count = 0;

  get length(): number {
    return this.count;
  }

  push(value: number): void {
    if (this.count === this.values.length) {
      const larger = new Float64Array(this.count * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = value;
  }

  at(position: number): number {
    if (position >= this.count) throw new RangeError(`Place ${position} of a list of ${this.count}.`);
    return elementAt(this.values, position);
  }

  /** Returns the current content without a copy; valid until the next `push`. */
  view(): Float64Array {
    return this.values.subarray(0, this.count);
  }

  /** Returns an ascending sorted copy. */
  sorted(): Float64Array {
    return this.values.slice(0, this.count).sort();
  }
}
