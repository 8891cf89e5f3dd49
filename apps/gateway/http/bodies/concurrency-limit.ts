import { AditError } from '@adit/contracts';

interface Bounds {
  /** The work of one owner that runs at the same time. */
  concurrency: number;
  /** The work of one owner that waits; more is refused. */
  waiting: number;
  /** The text of a refusal. */
  message: string;
}

interface Owner {
  taken: number;
  waiting: Set<() => void>;
}

/** Limits how much work of one owner (a key or a workspace) this process does at a time. More work waits, or is refused. */
export class ConcurrencyLimit {
  private readonly owners = new Map<string, Owner>();

  constructor(private readonly bounds: Bounds) {}

  /** Waits for a slot, and resolves with the function that frees it. Throws RATE_LIMITED when too many wait. */
  async acquire(id: string): Promise<() => void> {
    const owner = this.owners.get(id) ?? { taken: 0, waiting: new Set() };
    this.owners.set(id, owner);
    if (owner.taken < this.bounds.concurrency) owner.taken++;
    else await this.next(owner);
    return () => this.pass(id, owner);
  }

  async run<T>(id: string, work: () => Promise<T>): Promise<T> {
    const end = await this.acquire(id);
    try {
      return await work();
    } finally {
      end();
    }
  }

  private next({ waiting }: Owner): Promise<void> {
    if (waiting.size >= this.bounds.waiting) {
      throw new AditError('RATE_LIMITED', this.bounds.message, { retryAfterSeconds: 1 });
    }
    return new Promise((resolve) => waiting.add(resolve));
  }

  private pass(id: string, owner: Owner): void {
    const [next] = owner.waiting;
    if (next !== undefined) {
      owner.waiting.delete(next);
      next();
    } else if (--owner.taken === 0) {
      this.owners.delete(id);
    }
  }
}
