const KEPT_MS = 1_000;
const MAX_ENTRIES = 10_000;

interface Known<T> {
  value: T;
  keyId: string;
  until: number;
}

/**
 * Caches the rows of keys for a second: a busy client costs one query a second instead of one a request. A key that
 * this process revokes or changes is forgotten at once. Other gateways let it in for up to a second more.
 */
export class KeyMemory<T> {
  private readonly known = new Map<string, Known<T>>();
  /** Counts what was forgotten, so that a look-up from before is not remembered after it. */
  private forgotten = 0;

  /** `now` in milliseconds, from any beginning, never backwards. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** `handle` is what a request carries, or its hash. Calls `find` unless it is known; null is never remembered. */
  async find(handle: string, find: () => Promise<Found<T> | null>): Promise<T | null> {
    const known = this.known.get(handle);
    if (known !== undefined && known.until > this.now()) return known.value;
    this.known.delete(handle);
    const { forgotten } = this;
    const found = await find();
    if (found === null) return null;
    const until = this.now() + Math.min(KEPT_MS, found.forMs ?? KEPT_MS);
    if (forgotten === this.forgotten) this.remember(handle, { value: found.value, keyId: found.keyId, until });
    return found.value;
  }

  /** From now on the key is looked up again, also by whoever is looking it up right now. */
  forget(keyId: string): void {
    this.forgotten += 1;
    for (const [handle, known] of this.known) if (known.keyId === keyId) this.known.delete(handle);
  }

  private remember(handle: string, known: Known<T>): void {
    // Only keys that are valid come here; should there be so many, beginning anew costs a look-up each.
    if (this.known.size >= MAX_ENTRIES) this.known.clear();
    this.known.set(handle, known);
  }
}

interface Found<T> {
  value: T;
  keyId: string;
  /** Milliseconds for which it is true at all, where that is known. */
  forMs?: number;
}
