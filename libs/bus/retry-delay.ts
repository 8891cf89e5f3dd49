import { AditError } from '@adit/contracts';
import { backoffDelay } from '@adit/runtime';
import type { BackoffPolicy } from '@adit/runtime';

export interface DeliveryPolicy extends BackoffPolicy {
  /** Number of times that a message is given to a group before it becomes a dead letter. */
  maxDeliveries: number;
}

export const DEFAULT_DELIVERY_POLICY: DeliveryPolicy = { maxDeliveries: 3, baseMs: 500, maxMs: 5_000, factor: 3 };

type FailureDecision = { retryInMs: number } | { giveUp: AditError };

/**
 * Decides about a message whose handler threw `error` at its delivery number `delivery` (from 1). An outage of
 * something that everybody needs is no fault of the message: it is retried for as long as the outage lasts.
 */
export function afterFailure(error: unknown, delivery: number, policy: DeliveryPolicy): FailureDecision {
  const failure = AditError.from(error);
  if (failure.code === 'UNAVAILABLE') return { retryInMs: backoffDelay(delivery, policy) };
  if (!failure.retryable || delivery >= policy.maxDeliveries) return { giveUp: failure };
  return { retryInMs: backoffDelay(delivery, policy) };
}
