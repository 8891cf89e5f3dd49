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

/** State `changed`: it was published, and other bytes lie there now. */
export const followedVersions = gauge('adit_followed_models', 'Versions in the bucket whose models are followed', [
  'state',
]);

export const followedRounds = counter('adit_followed_rounds_total', 'How often the bucket of models was read', [
  'result',
]);
