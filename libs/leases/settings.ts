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
