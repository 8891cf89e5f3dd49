import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time for which the addresses of a recording work without a header. */
export const TICKET_SECONDS = 12 * 3600;

/** What a ticket says: who may read which recording, and until when. */
export interface Ticket {
  /** Id of the API key or the session that asked for it: it ends with it. */
  keyId: string;
  /** Seconds since 1970. */
  expires: number;
}

const TICKET = /^(\d{1,12})\.([0-9a-f-]{36})\.([\w-]{43})$/;

/** Makes the secret of a recording. */
export function newRecordingSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Signs a ticket for the recording of a job. */
export function signTicket(secret: string, jobId: string, { keyId, expires }: Ticket): string {
  return `${expires}.${keyId}.${mac(secret, jobId, { keyId, expires })}`;
}

/** Returns what a ticket for the job's recording says; null for one that was changed, or whose time is over at `now`. */
export function openTicket(secret: string, jobId: string, ticket: string, now = Date.now()): Ticket | null {
  const [, expires = '', keyId = '', signature = ''] = TICKET.exec(ticket) ?? [];
  const said = { keyId, expires: Number(expires) };
  const [given, expected] = [Buffer.from(signature), Buffer.from(mac(secret, jobId, said))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return said.expires * 1000 > now ? said : null;
}

function mac(secret: string, jobId: string, { keyId, expires }: Ticket): string {
  return createHmac('sha256', secret).update(`recording ${jobId} ${keyId} ${expires}`).digest('base64url');
}
