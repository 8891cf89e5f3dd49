import { counter, gauge, histogram, secondsBetween } from '@adit/runtime';

export const deliveries = counter('adit_webhook_deliveries_total', 'Deliveries that ended', ['outcome']);

export const attempts = counter('adit_webhook_attempts_total', 'Attempts to deliver a webhook', ['reason']);

export const attemptSeconds = histogram(
  'adit_webhook_attempt_seconds',
  'Time of one attempt to deliver a webhook',
  ['outcome'],
  secondsBetween(0.001, 50),
);

export const deliveriesDue = gauge('adit_webhook_due', 'Deliveries whose time has come and that nobody has taken yet');

export const oldestDueSeconds = gauge(
  'adit_webhook_oldest_due_seconds',
  'For how long the oldest of them has been due',
);
