import { counter, gauge, histogram, secondsBetween } from '@adit/runtime';

export const requestSeconds = histogram(
  'adit_http_request_seconds',
  'Time to answer a request, in seconds.',
  ['method', 'route'],
  secondsBetween(0.001, 100),
);

export const requestsAnswered = counter('adit_http_requests_total', 'Requests answered.', [
  'method',
  'route',
  'status',
]);

/** State `changed`: published, and other bytes lie there now. */
export const syncedVersions = gauge('adit_followed_models', 'Versions in the synced models bucket', ['state']);

export const syncRounds = counter('adit_followed_rounds_total', 'Reads of the synced models bucket', ['result']);

export const quotaRefusals = counter(
  'adit_quota_refusals_total',
  'Orders refused because a quota of usage was used up.',
  ['quota'],
);
