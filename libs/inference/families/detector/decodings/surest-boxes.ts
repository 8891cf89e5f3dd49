import { float64At } from '@adit/contracts';
import type { FoundObject } from './decoding.js';

/** Number of boxes that suppression compares; a network with meaningless scores finds a hundred times as many. */
export const MAX_COMPARED = 4_096;

/**
 * Collects boxes of at least `minScore` by their position in a network's outputs, and decodes only the surest
 * MAX_COMPARED: a network may find millions. Of equal scores those offered first count.
 */
export class SurestBoxes {
  private readonly scores = new Float64Array(4 * MAX_COMPARED);
  private readonly places = new Float64Array(4 * MAX_COMPARED);
  private count = 0;
  /** Score at or below which a box cannot be among the surest any more. */
  private cut = NaN;

  constructor(private readonly minScore: number) {}

  /** Offers a box. `place` is an integer by which `read` finds it. NaN scores are skipped. */
  offer(score: number, place: number): void {
    if (!(score >= this.minScore) || score <= this.cut) return;
    this.scores[this.count] = score;
    this.places[this.count] = place;
    this.count++;
    if (this.count === this.scores.length) this.dropLeast();
  }

  /** Returns the boxes in the order offered, or best first where some were dropped. */
  read(boxAt: (place: number, score: number) => FoundObject): FoundObject[] {
    if (this.count > MAX_COMPARED) this.dropLeast();
    const order = [...this.scores.subarray(0, this.count).keys()];
    const score = (at: number): number => float64At(this.scores, at);
    if (!Number.isNaN(this.cut)) order.sort((a, b) => score(b) - score(a));
    return order.map((at) => boxAt(float64At(this.places, at), score(at)));
  }

  /** Keeps MAX_COMPARED of them, in their order. */
  private dropLeast(): void {
    const { scores, places, count } = this;
    this.cut = selected(scores.slice(0, count), count - MAX_COMPARED);
    let room = MAX_COMPARED;
    for (let at = 0; at < count; at++) if (float64At(scores, at) > this.cut) room--;
    this.count = 0;
    for (let at = 0; at < count; at++) {
      const score = float64At(scores, at);
      if (score < this.cut || (score === this.cut && room-- <= 0)) continue;
      scores[this.count] = score;
      places[this.count] = float64At(places, at);
      this.count++;
    }
  }
}

/**
 * Quickselect: returns the value at a position of the ascending order without a full sort (C. A. R. Hoare, "Algorithm
 * 65: find", 1961). Reorders `values`.
 */
function selected(values: Float64Array, place: number): number {
  let [left, right] = [0, values.length - 1];
  while (left < right) {
    // A random pivot avoids the worst case for any given order.
    const pivot = float64At(values, left + Math.floor(Math.random() * (right + 1 - left)));
    let [low, high] = [left, right];
    while (low <= high) {
      while (float64At(values, low) < pivot) low++;
      while (float64At(values, high) > pivot) high--;
      if (low > high) break;
      const value = float64At(values, low);
      values[low++] = float64At(values, high);
      values[high--] = value;
    }
    if (place <= high) right = high;
    else if (place >= low) left = low;
    else break;
  }
  return float64At(values, place);
}
