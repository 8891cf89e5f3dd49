import { createHmac } from 'node:crypto';

/**
 * `hmac_signature`: base64 of HMAC-SHA256 over the exact bytes of `data` as sent, keyed with the UTF-8 bytes of the
 * secret, its `whsec_` included.
 */
export function hmacSignature(secret: string, data: string): string {
  return createHmac('sha256', Buffer.from(secret, 'utf8')).update(data, 'utf8').digest('base64');
}

/**
 * The headers of Standard Webhooks 1.0 (https://www.standardwebhooks.com) over the raw body. More than one secret, newest
 * first, while a former one is still valid: each gives a signature, and a receiver accepts any.
 *
 * @param timestamp Unix seconds of this attempt, whole.
 */
export function standardHeaders(
  secrets: readonly string[],
  message: { id: string; timestamp: number | string; body: string },
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  const { id, timestamp, body } = message;
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

/** `whsec_` and base64 is a key in the standard's own form; any other secret is its UTF-8 bytes. */
function standardKey(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(encoded, 'base64');
}
