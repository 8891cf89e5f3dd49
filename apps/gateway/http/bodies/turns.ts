import { AditError } from '@adit/contracts';

interface Bounds {
  /** What is done of one owner at the same time. */
  atOnce: number;
  /** What waits for its turn; more is refused. */
  waiting: number;
  /** What whoever is refused is told. */
  message: string;
}

interface Owner {
  taken: number;
  waiting: Set<() => void>;
}

/** Lets a few things of each owner, a key or a workspace, be done at a time by this process; the others wait, or are refused. */
export class Turns {
  private readonly owners = new Map<string, Owner>();

  constructor(private readonly bounds: Bounds) {}

  /** Waits for a turn, and resolves with what ends it. Throws RATE_LIMITED when too many wait. */
  async take(id: string): Promise<() => void> {
    const owner = this.owners.get(id) ?? { taken: 0, waiting: new Set() };
    this.owners.set(id, owner);
    if (owner.taken < this.bounds.atOnce) owner.taken++;
    else await this.next(owner);
    return () => this.pass(id, owner);
  }

  async run<T>(id: string, work: () => Promise<T>): Promise<T> {
    const end = await this.take(id);
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
