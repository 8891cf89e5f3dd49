import { createHash } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { unknownCursor } from '@adit/database';
import type { FastifyRequest } from 'fastify';
import type { Caller } from './caller.js';

/** Query parameters that say which part of a list is wanted, what comes beside it, or who asks, and not which list. */
const APART = new Set(['cursor', 'offset', 'limit', 'facets', 'token']);
const SUM_BYTES = 12;

type ListRequest = FastifyRequest & { caller?: Caller };

/** A place in the list that a request asks for, as a client is given it: it counts for that list with those filters alone. */
export function sealCursor(request: FastifyRequest, place: string): string {
  return Buffer.concat([sumOf(request, place), Buffer.from(place)]).toString('base64url');
}

/**
 * The query of a list with the place that its cursor stands for. Throws VALIDATION for a cursor of anything else, and for one that
 * comes with an offset.
 */
export function openCursor(request: FastifyRequest, query: Record<string, unknown>): Record<string, unknown> {
  const { cursor, offset } = query;
  // Cursors that are no text are refused by the route.
  if (typeof cursor !== 'string' || cursor === '') return query;
  if (offset !== undefined && offset !== '0') {
    const message = '?offset goes with an empty cursor: any other says where a page begins.';
    throw new AditError('VALIDATION', message, { errors: [{ pointer: '?offset', code: 'with_cursor', message }] });
  }
  const bytes = Buffer.from(cursor, 'base64url');
  const place = bytes.subarray(SUM_BYTES).toString();
  if (!bytes.subarray(0, SUM_BYTES).equals(sumOf(request, place))) throw unknownCursor();
  return { ...query, cursor: place };
}

/** No secret: whoever makes one up finds no more than any cursor of that list does. */
function sumOf({ url, caller }: ListRequest, place: string): Buffer {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const filters = [...searchParams].filter(([name]) => !APART.has(name)).sort();
  const list = [caller?.workspaceId, pathname.replace(/\/$/, ''), filters, place];
  return createHash('sha256').update(JSON.stringify(list)).digest().subarray(0, SUM_BYTES);
}
