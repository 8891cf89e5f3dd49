/** What the notifier does, for the specs of the console. */
import {
  claimDeliveries,
  messageBody,
  noteWebhookHealth,
  recordAttempts,
  retryDelay,
  standardHeaders,
  type AttemptRecord,
  type Sender,
} from '@adit/webhooks';
import type { DataSource } from 'typeorm';

/** Posts what is due over the wire, signed with one secret, and notes what was answered. Returns the number of attempts. */
export async function sendDue({ manager }: DataSource, sender: Sender, secret: string): Promise<number> {
  const now = new Date(Date.now() + 1_000);
  const leaseUntil = new Date(now.getTime() + 30_000);
  const claimed = await claimDeliveries(manager, { now, leaseUntil, limit: 100, perReceiver: 100, rooms: new Map() });
  const records = claimed.map(async (delivery): Promise<AttemptRecord> => {
    const started = new Date();
    const body = messageBody(delivery, secret);
    const message = { id: delivery.id, timestamp: Math.floor(started.getTime() / 1000), body };
    const answer = await sender.post(delivery.url, standardHeaders([secret], message), body);
    const ended = new Date();
    const delay = answer.outcome === 'failed' ? retryDelay(delivery.tried, answer.retryAfterSeconds) : null;
    return { delivery, answer, started, ended, nextDue: delay === null ? null : new Date(ended.getTime() + delay) };
  });
  const sent = await Promise.all(records);
  await recordAttempts(manager, sent);
  await noteWebhookHealth(manager, sent);
  return sent.length;
}
