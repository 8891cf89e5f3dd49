import { IncomingMessage } from 'node:http';

/** Bytes kept of a refusal's body; servers send some hundred. */
const KEPT_BYTES = 64 << 10;
/** Limit of the bytes that are read. */
const MAX_BYTES = 1 << 20;

interface Refusal {
  /** HTTP's, from 400 on. */
  status: number;
  body: Buffer;
}

/**
 * Reads what a server says with a refusal. The client would read nothing of some, so that the connection were never free again,
 * and all of others, however much that is. Throws when the answer breaks off or is longer than 1 MiB.
 */
export async function refusalOf(received: IncomingMessage): Promise<Refusal> {
  const kept: Buffer[] = [];
  let size = 0;
  const parts: AsyncIterable<Buffer> = received;
  for await (const part of parts) {
    if (size < KEPT_BYTES) kept.push(part.subarray(0, KEPT_BYTES - size));
    size += part.length;
    if (size > MAX_BYTES) break;
  }
  return { status: received.statusCode ?? 0, body: Buffer.concat(kept) };
}

/** The answer for the client, which reads its body. */
export function replayed(received: IncomingMessage, { body }: Refusal): IncomingMessage {
  const message = new IncomingMessage(received.socket);
  message.statusCode = received.statusCode;
  message.statusMessage = received.statusMessage;
  message.headers = received.headers;
  message.push(body);
  message.push(null);
  return message;
}

/** Tells whether the request may be right and the server, or what stands before it, cannot answer it now. */
export function isFailure(status: number): boolean {
  return status >= 499 || status === 408 || status === 429;
}

/** A server's failure, with what S3 or a proxy says of it. The client itself would keep the status alone. */
export class ServerFailure extends Error {
  readonly status: number;
  /** S3's, such as SlowDown; null where a proxy answered. */
  readonly reason: string | null;

  constructor({ status, body }: Refusal) {
    const said = body.toString('utf8');
    const reason = /<Code>([^<]{1,100})<\/Code>/.exec(said)?.[1] ?? null;
    const message = /<Message>([^<]{1,500})<\/Message>/.exec(said)?.[1] ?? '';
    super([`HTTP ${status}`, reason, message].filter(Boolean).join(' '));
    this.status = status;
    this.reason = reason;
  }

  /** The disk is full, or the quota that the server holds the bucket to. */
  get isFull(): boolean {
    return this.status === 507 || /StorageFull|InsufficientStorage|QuotaExceeded/.test(this.reason ?? '');
  }
}
