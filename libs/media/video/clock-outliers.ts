import { elementAt } from '@adit/contracts';

/** Largest step of a stream's clock in seconds, in either direction, that is taken for valid. */
export const IN_LINE_SECONDS = 1;
/** Number of packets after a jump that decide whether the clock returns. */
const WAITED = 32;
/** At least this many packets at the end of a film, whose clock is back, are a joined recording; fewer are damaged. */
const MIN_JOINED = 4;
/** Films of this many packets or more may not end with a single packet behind a jump. */
const FEW_PACKETS = 25;

/** Receives the verdict on each item, in the order of addition. */
export interface ClockListener<T> {
  /** `clock` is NaN for an item that has none. */
  inLine(item: T, clock: number): void;
  /** The item's clock is wrong: its neighbours agree with each other, here with `clock`. */
  outlier(item: T, clock: number): void;
  /** The clock jumps back by that many ticks; an exception ends the processing. */
  back(ticks: number): void;
}

/**
 * Tells single wrong times of a damaged stream from a clock that jumps, by waiting for the items after a jump. Where
 * the clock returns, the times between are wrong; where it does not, it has jumped.
 */
export class ClockOutliers<T> {
  private last = -Infinity;
  private count = 0;
  private waiting: { item: T; clock: number }[] = [];

  /**
   * @param second - ticks per second.
   * @param period - ticks after which the clock wraps: a jump over more than half of them was one back. Infinity for
   * none.
   */
  constructor(
    private readonly second: number,
    private readonly period: number,
    private readonly listener: ClockListener<T>,
  ) {}

  add(item: T, clock: number): void {
    this.count++;
    if (this.waiting.length === 0) {
      if (Number.isNaN(clock) || this.last === -Infinity || this.isInLine(clock)) return this.take(item, clock);
    } else if (this.isInLine(clock)) {
      for (const { item: wrong, clock: at } of this.waiting.splice(0)) {
        if (Number.isNaN(at)) this.take(wrong, at);
        else this.listener.outlier(wrong, clock);
      }
      return this.take(item, clock);
    }
    this.waiting.push({ item, clock });
    if (this.waiting.length === WAITED) this.decide(1);
  }

  /** Call after the last item. */
  finish(): void {
    if (this.waiting.length > 0) this.decide(MIN_JOINED);
  }

  /** Decides that the clock does not return. The largest consistent group of waiting items is right. */
  private decide(fewestJoined: number): void {
    const waiting = this.waiting.splice(0);
    const places = waiting.map((_, place) => place).filter((place) => !Number.isNaN(elementAt(waiting, place).clock));
    const clockAt = (place: number): number => this.unwrapped(elementAt(waiting, place).clock);
    const isBack = (place: number): boolean => clockAt(place) < this.last - this.tolerance;
    const slack = this.tolerance;
    const back = longestAscending(places.filter(isBack), clockAt, slack);
    const ahead = longestAscending(
      places.filter((place) => !isBack(place)),
      clockAt,
      slack,
    );
    const [first] = back;
    if (first !== undefined && back.length > ahead.length && back.length >= fewestJoined) {
      this.listener.back(this.last - clockAt(first));
    }
    const isAlone = waiting.length === 1 && this.count > FEW_PACKETS;
    const right = new Set(isAlone ? [] : ahead);
    for (const [place, { item, clock }] of waiting.entries()) {
      if (right.has(place) || Number.isNaN(clock)) this.take(item, clock);
      else this.listener.outlier(item, this.last);
    }
  }

  private take(item: T, clock: number): void {
    if (!Number.isNaN(clock)) this.last = Math.max(this.last, clock);
    this.listener.inLine(item, clock);
  }

  private isInLine(clock: number): boolean {
    return Math.abs(clock - this.last) <= this.tolerance;
  }

  private unwrapped(clock: number): number {
    return clock - this.last > this.period / 2 ? clock - this.period : clock;
  }

  private get tolerance(): number {
    return IN_LINE_SECONDS * this.second;
  }
}

/**
 * Returns the longest subsequence of these places whose values ascend, within `slack`; of equally long ones the one
 * that ends first.
 */
function longestAscending(places: readonly number[], valueAt: (place: number) => number, slack: number): number[] {
  const best: { length: number; before: number }[] = [];
  let end = -1;
  for (const [at, place] of places.entries()) {
    let [length, before] = [1, -1];
    for (let earlier = 0; earlier < at; earlier++) {
      const found = elementAt(best, earlier);
      if (found.length >= length && valueAt(elementAt(places, earlier)) <= valueAt(place) + slack) {
        [length, before] = [found.length + 1, earlier];
      }
    }
    best.push({ length, before });
    if (end < 0 || length > elementAt(best, end).length) end = at;
  }
  const chosen: number[] = [];
  for (let at = end; at >= 0; at = elementAt(best, at).before) chosen.unshift(elementAt(places, at));
  return chosen;
}
