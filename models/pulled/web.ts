import { AditError } from '@adit/contracts';
import { EnvHttpProxyAgent, fetch, type Response } from 'undici';

const TIMEOUT_MS = 60_000;

/**
 * HTTP client for weights: uses the proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and the certificates of
 * NODE_EXTRA_CA_CERTS. User and password of an address are sent to that host alone.
 */
export class Web {
  private readonly agent = new EnvHttpProxyAgent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  private readonly logins = new Map<string, string>();

  constructor(private readonly signal?: AbortSignal) {}

  /** Strips user and password from an address and keeps them for its host. */
  known(address: string): URL {
    const url = new URL(address);
    if (url.username !== '') {
      const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      this.logins.set(url.origin, `Basic ${Buffer.from(login).toString('base64')}`);
    }
    url.username = url.password = '';
    return url;
  }

  /** Returns any reply, following redirects. Throws UNAVAILABLE without one, and the signal's reason. */
  async get(url: URL, headers: Record<string, string>): Promise<Response> {
    const login = this.logins.get(url.origin);
    try {
      return await fetch(url, {
        headers: { ...headers, ...(login === undefined ? {} : { authorization: login }) },
        dispatcher: this.agent,
        signal: this.signal ?? null,
      });
    } catch (error) {
      throw this.failure(url, error);
    }
  }

  /** Returns the body, at most `most` bytes. */
  async text(reply: Response, most: number): Promise<string> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const piece of reply.body ?? []) {
        bytes += piece.byteLength;
        if (bytes > most) throw new Error(`its answer has more than ${most} bytes`);
        pieces.push(Buffer.from(piece));
      }
    } catch (error) {
      throw this.failure(new URL(reply.url), error);
    }
    return Buffer.concat(pieces).toString('utf8');
  }

  /** Returns the error for a failed request. */
  failure(url: URL, error: unknown): unknown {
    if (this.signal?.aborted === true) return this.signal.reason;
    if (error instanceof AditError) return error;
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return new AditError('UNAVAILABLE', `${url.host} cannot be reached: ${why}`);
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
