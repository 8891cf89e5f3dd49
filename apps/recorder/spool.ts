/** Queue between a stream, which never waits, and its storage, which may: bounded in bytes, the oldest are dropped. */
export class Spool<Item> {
  private readonly items: { item: Item; bytes: number }[] = [];
  private bytes = 0;
  private ended = false;
  private wake: (() => void) | null = null;

  constructor(private readonly maxBytes: number) {}

  /** Adds an item; returns the older ones that were dropped for it. */
  push(item: Item, bytes: number): Item[] {
    this.items.push({ item, bytes });
    this.bytes += bytes;
    const dropped: Item[] = [];
    while (this.bytes > this.maxBytes && this.items.length > 1) {
      const oldest = this.items.shift();
      if (oldest === undefined) break;
      this.bytes -= oldest.bytes;
      dropped.push(oldest.item);
    }
    this.wake?.();
    return dropped;
  }

  /** The items that wait, in order, without the one in hand. */
  waiting(): Item[] {
    return this.items.map(({ item }) => item);
  }

  /** No more items follow. */
  end(): void {
    this.ended = true;
    this.wake?.();
  }

  /** Yields items in order until the end; the one in hand counts no more. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (;;) {
      const first = this.items.shift();
      if (first !== undefined) {
        this.bytes -= first.bytes;
        yield first.item;
      } else if (this.ended) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = null;
    }
  }
}
