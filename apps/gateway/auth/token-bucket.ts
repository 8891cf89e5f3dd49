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

  has(now: number): boolean {
    this.fill(now);
    return this.tokens >= 1;
  }

  /** Call it when `has` says so. */
  take(now: number): void {
    this.fill(now);
    this.tokens -= 1;
  }

  giveBack(): void {
    this.tokens = Math.min(this.capacity, this.tokens + 1);
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

  secondsUntilOne(now: number): number {
    this.fill(now);
    return Math.max(0, 1 - this.tokens) * (this.window / this.capacity);
  }

  secondsUntilFull(now: number): number {
    this.fill(now);
    return (this.capacity - this.tokens) * (this.window / this.capacity);
  }

  private fill(now: number): void {
    const seconds = Math.max(0, now - this.at) / 1000;
    this.at = Math.max(this.at, now);
    this.tokens = Math.min(this.capacity, this.tokens + (seconds * this.capacity) / this.window);
  }
}
