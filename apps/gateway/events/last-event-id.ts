import { AditError } from '@adit/contracts';
import type { FastifyRequest } from 'fastify';

/** The id of the last event that the client has seen; null when it says none. Throws VALIDATION for what is no id of ours. */
export function lastEventId({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const header = headers['last-event-id'];
  if (header === undefined || header === '') return null;
  if (typeof header === 'string' && /^\d{1,18}$/.test(header)) return header;
  throw new AditError('VALIDATION', 'Last-Event-ID is the id of an event of this stream.');
}
