/** Tokens that come back evenly: `capacity` of them within `window` seconds, never more than that in hand. Times in ms. */
export class TokenBucket {
  private tokens: number;

  constructor(
    readonly capacity: number,
    readonly window: number,
    private at: number,
  ) {
    this.tokens = capacity;
  }

  has(now: number, count = 1): boolean {
    this.fill(now);
    return this.tokens >= count;
  }

  /** Call it when `has` says so. */
  take(now: number, count = 1): void {
    this.fill(now);
    this.tokens -= count;
  }

  giveBack(count = 1): void {
    this.tokens = Math.min(this.capacity, this.tokens + count);
  }

  /** Whole tokens. */
  left(now: number): number {
    this.fill(now);
    return Math.floor(this.tokens);
  }

  isFull(now: number): boolean {
    this.fill(now);
    return this.tokens === this.capacity;
  }

  /** Until it is full when it never has so many. */
  secondsUntil(count: number, now: number): number {
    this.fill(now);
    return Math.max(0, Math.min(count, this.capacity) - this.tokens) * (this.window / this.capacity);
  }

  secondsUntilFull(now: number): number {
    return this.secondsUntil(this.capacity, now);
  }

  private fill(now: number): void {
    const seconds = Math.max(0, now - this.at) / 1000;
    this.at = Math.max(this.at, now);
    this.tokens = Math.min(this.capacity, this.tokens + (seconds * this.capacity) / this.window);
  }
}
