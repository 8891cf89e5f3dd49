import type { AditError } from '@adit/contracts';

/** Attempts that failed or crashed after which work is given up, where no setting says otherwise. */
export const MAX_ATTEMPTS = 3;

/** Number of attempts, and the time without heartbeat after which one counts as lost. */
export interface LeaseSettings {
  leaseSeconds: number;
  maxAttempts: number;
}

/**
 * Seconds after which work that has not begun is dispatched again. Longer than the lease of running work: it may wait
 * in a queue, where a second message would only be dropped.
 */
export function dispatchSeconds({ leaseSeconds }: Pick<LeaseSettings, 'leaseSeconds'>): number {
  return leaseSeconds * 10;
}

/**
 * Decides what follows a failed attempt, see the table in ADR 9. Without blame: `released` by an orderly shutdown,
 * `deferred` while a dependency is unavailable. With blame: another attempt, or `given-up` when none would help or
 * they are used up.
 */
export type AfterFailure = 'released' | 'deferred' | 'again' | 'given-up';

export function afterFailure(
  { code, retryable }: Pick<AditError, 'code' | 'retryable'>,
  { attempt, maxAttempts, stopping = false }: { attempt: number; maxAttempts: number; stopping?: boolean },
): AfterFailure {
  if (stopping) return 'released';
  if (code === 'UNAVAILABLE') return 'deferred';
  return retryable && attempt < maxAttempts ? 'again' : 'given-up';
}
