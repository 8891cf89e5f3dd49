/** Thrown for a request that is no delivery of the service, or an old one. Answer 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface WebhookDelivery {
  event: string;
  id: string;
  /** When it happened, Unix seconds. */
  timestamp: number;
  data: Record<string, unknown>;
  hmac_signature: string;
}

export interface Received {
  /** The signing secret of the workspace, or the `hmac_secret` of a webhook; several while one replaces another. */
  secret: string | readonly string[];
  /** Headers of the request: of fetch, of Node, or any record; names in any case. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The body as it arrived, before any JSON parser. */
  body: string | Uint8Array;
  /** Allowed difference between the clocks, and age of a delivery; default 300. */
  toleranceSeconds?: number;
  /** Default: now. */
  now?: Date;
}

/**
 * Checks the `webhook-signature` of a delivery (Standard Webhooks 1.0: HMAC-SHA256 over id, time and the raw body) and its
 * age; answers what was delivered. Keep the `id`s you have handled: a delivery may come twice. Throws
 * WebhookVerificationError. Runs wherever there is WebCrypto.
 */
export async function verifyWebhook({
  secret,
  headers,
  body,
  toleranceSeconds = 300,
  now = new Date(),
}: Received): Promise<WebhookDelivery> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is no time.');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError('The delivery is too old, or from the future.');
  }
  const text =
    typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const given = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((signature) => (signature.startsWith('v1,') ? (bytesOf(signature.slice(3)) ?? []) : []));
  const secrets = typeof secret === 'string' ? [secret] : secret;
  for (const one of secrets) {
    const key = await crypto.subtle.importKey('raw', keyOf(one), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    // WebCrypto compares in constant time.
    for (const signature of given) {
      if (!(await crypto.subtle.verify('HMAC', key, signature, signed))) continue;
      const delivery: WebhookDelivery = JSON.parse(text);
      return delivery;
    }
  }
  throw new WebhookVerificationError('No signature of the delivery is that of the secret.');
}

function headerOf(headers: Received['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

/** `whsec_` and base64 is a key in the standard's own form; any other secret is its UTF-8 bytes. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  if (encoded === undefined) return new TextEncoder().encode(secret);
  // A last character that makes no byte is left out, as the signer's decoder does.
  const whole = encoded.replace(/=+$/, '');
  return bytesOf(whole.length % 4 === 1 ? whole.slice(0, -1) : whole) ?? new TextEncoder().encode(secret);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
