import type { AditError } from '@adit/contracts';

/** After so many attempts that failed or died, work is given up, where no setting says otherwise. */
export const MAX_ATTEMPTS = 3;

/** How often work is tried, and how long an attempt may be silent before it counts as lost. */
export interface LeaseSettings {
  leaseSeconds: number;
  maxAttempts: number;
}

/**
 * Seconds after which work that nobody has begun is dispatched again. Longer than the lease of running work: it may stand in
 * a queue, where a second message would only be another one to drop.
 */
export function dispatchSeconds({ leaseSeconds }: Pick<LeaseSettings, 'leaseSeconds'>): number {
  return leaseSeconds * 10;
}

/**
 * What follows an attempt that failed, the table in ADR 9. Without blame: `handed-back` by an orderly end, `put-off` while a
 * dependency is away. With blame: another one, or `given-up` when none would help or they are used up.
 */
export type AfterFailure = 'handed-back' | 'put-off' | 'again' | 'given-up';

export function afterFailure(
  { code, retryable }: Pick<AditError, 'code' | 'retryable'>,
  { attempt, maxAttempts, stopping = false }: { attempt: number; maxAttempts: number; stopping?: boolean },
): AfterFailure {
  if (stopping) return 'handed-back';
  if (code === 'UNAVAILABLE') return 'put-off';
  return retryable && attempt < maxAttempts ? 'again' : 'given-up';
}
