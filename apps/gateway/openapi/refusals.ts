import { ERROR_CODES, Problem, type ErrorCode } from '@adit/contracts';
import type { RouteDefinition } from '../http/route.js';
import type { JsonSchemas } from './json-schemas.js';
import { headersOf, type ReplyHeader } from '../http/server/reply-headers.js';

type Json = Record<string, unknown>;

/** A name and a meaning for every status of a refusal. */
const REFUSALS: Record<number, { name: string; means: string; headers?: ReplyHeader[] }> = {
  400: { name: 'BadRequest', means: 'Something in the request is wrong; `errors` points at each place.' },
  401: { name: 'NotAuthenticated', means: 'No credentials, or none that count.', headers: ['WWW-Authenticate'] },
  403: { name: 'Forbidden', means: 'These credentials do not reach so far.' },
  404: { name: 'NotFound', means: 'There is no such thing, or it is another workspace’s.' },
  409: { name: 'Conflict', means: 'What is there now does not allow it.', headers: ['Retry-After'] },
  412: { name: 'PreconditionFailed', means: 'A condition that the request made does not hold.' },
  413: { name: 'ContentTooLarge', means: 'More bytes than this service takes.' },
  415: { name: 'UnsupportedMediaType', means: 'The body is of a type or an encoding that is not taken here.' },
  416: { name: 'RangeNotSatisfiable', means: 'The file has no such bytes.', headers: ['Content-Range'] },
  422: { name: 'IdempotencyMismatch', means: 'The Idempotency-Key was used for another request.' },
  429: {
    name: 'TooManyRequests',
    means: 'More than the key may send, or than the workspace may use; nothing was done.',
    headers: ['Retry-After'],
  },
  503: {
    name: 'ServiceUnavailable',
    means: 'Something is away for now; nothing is to blame.',
    headers: ['Retry-After'],
  },
  507: {
    name: 'StorageFull',
    means:
      'The workspace may store no more, `detail` says what is left; or the object store or the database has no room.',
  },
  501: { name: 'NotImplemented', means: 'This part of the interface does not exist yet.' },
};

/** Components for every status that a refusal can have, each with the problem details that all share. */
export function refusalComponents(schemas: JsonSchemas): Record<string, Json> {
  const schema = schemas.of(Problem, 'output', 'Problem');
  const entries = Object.entries(REFUSALS).map(([status, { name, means, headers = [] }]): [string, Json] => [
    name,
    {
      description: `${means} Codes: ${codesOf(Number(status)).join(', ')}.`,
      headers: headersOf(headers, true),
      content: { 'application/problem+json': { schema } },
    },
  ]);
  return Object.fromEntries(entries);
}

function codesOf(status: number): string[] {
  return Object.entries(ERROR_CODES)
    .filter(([, code]) => code.status === status)
    .map(([name]) => name);
}

/** A route's own refusals and those that all share, by status, as references. */
export function refusals(route: RouteDefinition): Record<string, Json> {
  // Whatever a route takes, a query parameter that it does not have is refused.
  const codes = new Set<ErrorCode>(['VALIDATION', ...(route.errors ?? [])]);
  if (route.access !== 'public') {
    for (const code of ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'] as const) codes.add(code);
  }
  // The database may be full, and every change needs it.
  if (route.method !== 'GET') codes.add('STORAGE_FULL');
  if (route.body !== undefined) for (const code of ['TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code);
  if (route.form !== undefined) codes.add('UNSUPPORTED_MEDIA_TYPE');
  // Refusals that an Idempotency-Key can lead to.
  if (takesIdempotencyKey(route)) {
    for (const code of ['CONFLICT', 'IDEMPOTENCY_MISMATCH'] as const) codes.add(code);
  }
  const statuses = [...new Set([...codes].map((code) => ERROR_CODES[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]));
}

export function takesIdempotencyKey({ method, form, body }: RouteDefinition): boolean {
  return method === 'POST' && (form === undefined || body !== undefined);
}

function nameOf(status: number): string {
  const refusal = REFUSALS[status];
  if (refusal === undefined) throw new Error(`The status ${status} has no name in the document yet.`);
  return refusal.name;
}
