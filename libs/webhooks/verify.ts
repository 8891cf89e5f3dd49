import { timingSafeEqual } from 'node:crypto';
import { hmacSignature, standardHeaders } from './signing.js';

/** Older messages, and those from the future, are refused: somebody may have kept and sent them again. */
const TOLERANCE_SECONDS = 300;

interface SentMessage {
  secret: string;
  /** By name, in any case; of a name that came more than once, the last. */
  headers: Record<string, string | readonly string[] | undefined>;
  /** The body as it came, before any parser. */
  body: string;
  now?: Date;
  toleranceSeconds?: number;
}

export interface Verdict {
  /** True if the sender knows the secret and the message is recent. */
  valid: boolean;
  /** Checks and their results, in sentences. */
  findings: { good: boolean; message: string }[];
}

/**
 * Checks a delivery by `webhook-signature` and its time; by `hmac_signature` in the body alone when there are no headers.
 * Beside a right `webhook-signature` a wrong one in the body is only remarked upon: while two secrets are valid, it is of
 * the newer one alone.
 */
export function verifyMessage({ secret, headers, body, now, toleranceSeconds }: SentMessage): Verdict {
  const standard = standardFindings(secret, byLowerCase(headers), body, now ?? new Date(), toleranceSeconds);
  const inBody = bodyFinding(secret, body);
  const findings = [...standard.findings, inBody];
  // Without the headers nothing says when it was sent, but the body's signature still says by whom.
  return { valid: standard.present ? standard.findings.every(({ good }) => good) : inBody.good, findings };
}

function standardFindings(
  secret: string,
  headers: Map<string, string>,
  body: string,
  now: Date,
  tolerance = TOLERANCE_SECONDS,
): { present: boolean; findings: Verdict['findings'] } {
  const id = headers.get('webhook-id');
  const timestamp = headers.get('webhook-timestamp');
  const signatures = headers.get('webhook-signature');
  if (id === undefined && timestamp === undefined && signatures === undefined) {
    return { present: false, findings: [bad('There are no webhook-* headers: nothing says when it was sent.')] };
  }
  const missing = Object.entries({ id, timestamp, signature: signatures }).filter(([, value]) => value === undefined);
  if (id === undefined || timestamp === undefined || signatures === undefined) {
    return { present: true, findings: missing.map(([name]) => bad(`The header webhook-${name} is missing.`)) };
  }
  return {
    present: true,
    findings: [signatureFinding(secret, id, timestamp, signatures, body), timeFinding(timestamp, now, tolerance)],
  };
}

function signatureFinding(secret: string, id: string, timestamp: string, signatures: string, body: string) {
  const signed = standardHeaders([secret], { id, timestamp, body })['webhook-signature'];
  const given = signatures.split(' ').filter((signature) => signature.startsWith('v1,'));
  if (given.length === 0) return bad('webhook-signature holds no signature of version v1.');
  if (given.some((signature) => equal(signature, signed))) {
    return good('webhook-signature is right: the body is as it was sent, and was signed with this secret.');
  }
  return bad(
    'webhook-signature is wrong: another secret, or the body or a header is not what was sent, byte for byte.',
  );
}

function timeFinding(timestamp: string, now: Date, tolerance: number) {
  if (!/^\d{1,12}$/.test(timestamp)) return bad('webhook-timestamp is no time in Unix seconds.');
  const age = now.getTime() / 1000 - Number(timestamp);
  const when = `${Math.abs(Math.round(age))} s ${age < 0 ? 'in the future' : 'old'}`;
  if (Math.abs(age) <= tolerance) return good(`webhook-timestamp is ${when}.`);
  return bad(`webhook-timestamp is ${when}, more than ${tolerance} s: it may be an old message sent again.`);
}

function bodyFinding(secret: string, body: string) {
  const start = body.indexOf('"data":');
  const end = body.lastIndexOf(',"hmac_signature":"');
  const given = /^,"hmac_signature":"([A-Za-z0-9+/=]*)"\}\s*$/.exec(body.slice(Math.max(0, end)))?.[1];
  if (start < 0 || end < start || given === undefined)
    return bad('The body holds no hmac_signature where Adit puts it.');
  if (equal(given, hmacSignature(secret, body.slice(start + '"data":'.length, end)))) {
    return good('hmac_signature is right: `data` is as it was sent, and was signed with this secret.');
  }
  return bad('hmac_signature is wrong: another secret, or `data` is not what was sent, byte for byte.');
}

function byLowerCase(headers: SentMessage['headers']): Map<string, string> {
  const known = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const text = typeof value === 'string' ? value : value?.at(-1);
    if (text !== undefined) known.set(name.toLowerCase(), text.trim());
  }
  return known;
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function good(message: string) {
  return { good: true, message };
}

function bad(message: string) {
  return { good: false, message };
}
