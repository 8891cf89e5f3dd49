import type { Caller } from './caller.js';

const KEPT_MS = 1_000;
const MOST = 10_000;

interface Known {
  caller: Caller;
  until: number;
}

/**
 * Callers by the hash of their key, for a second: a busy client costs one look-up a second instead of one a request. A key
 * that this process revokes is forgotten at once; other gateways let it in for that second.
 */
export class KeyMemory {
  private readonly callers = new Map<string, Known>();

  get(hash: string): Caller | null {
    const known = this.callers.get(hash);
    if (known === undefined) return null;
    if (known.until > performance.now()) return known.caller;
    this.callers.delete(hash);
    return null;
  }

  set(hash: string, caller: Caller): void {
    // Only keys that are valid come here; should there be so many, beginning anew costs a look-up each.
    if (this.callers.size >= MOST) this.callers.clear();
    this.callers.set(hash, { caller, until: performance.now() + KEPT_MS });
  }

  forget(apiKeyId: string): void {
    for (const [hash, { caller }] of this.callers) if (caller.apiKeyId === apiKeyId) this.callers.delete(hash);
  }
}
