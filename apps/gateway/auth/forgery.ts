import { AditError } from '@adit/contracts';
import type { FastifyRequest } from 'fastify';

/** Sent by our pages with every request. Pages of other origins cannot send it: no answer to a preflight allows it. */
export const CSRF_HEADER = 'x-adit-csrf';
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws FORBIDDEN for a change that a browser may have been made to send by a page of somebody else. To be asked of requests that a
 * cookie opens: browsers add it by themselves.
 */
export function refuseForgery({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): void {
  if (SAFE.has(method)) return;
  const site = headers['sec-fetch-site'];
  if (headers[CSRF_HEADER] !== undefined && (site === undefined || site === 'same-origin')) return;
  throw new AditError(
    'FORBIDDEN',
    'A change by a browser that is signed in comes from a page of this service, with the header X-Adit-CSRF: 1.',
  );
}
