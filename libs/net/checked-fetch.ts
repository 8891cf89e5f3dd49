import { AditError } from '@adit/contracts';
import { request, type Agent } from 'undici';
import { checkedAgent, refusalIn } from './checked-agent.js';
import { webAddressFault, type WebPolicy } from './web-address.js';

interface CheckedFetchOptions {
  policy: WebPolicy;
  /** For connecting, sending and the whole answer together. */
  timeoutMs: number;
  /** Bytes of an answer; a larger one is refused. */
  maxBytes: number;
}

/** As libraries that take a `fetch` of ours call it. */
interface Asked {
  method: string;
  headers: Record<string, string>;
  /** A text or a form; undefined or null without one. */
  body?: unknown;
}

/** Statuses whose answers have no body. */
const BODILESS = new Set([101, 103, 204, 205, 304]);

/**
 * A `fetch` for libraries that take one: connects to permitted addresses only, follows no redirect, and holds an answer whole, so that
 * its size is bounded. Throws SOURCE_REFUSED for an address that is refused, TOO_LARGE, TIMED_OUT, else the network's error.
 */
export class CheckedFetch {
  private readonly agent: Agent;

  constructor(private readonly options: CheckedFetchOptions) {
    const { policy, timeoutMs } = options;
    this.agent = checkedAgent({ addresses: policy.addresses, timeoutMs });
  }

  async fetch(address: string, { method, headers, body }: Asked): Promise<Response> {
    const { policy, timeoutMs } = this.options;
    const url = new URL(address);
    const fault = webAddressFault(url, policy);
    if (fault !== null) throw new AditError('SOURCE_REFUSED', `The address ${url.origin} is refused: ${fault}.`);
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = textOf(body);
    try {
      const answer = await request(url, { dispatcher: this.agent, method, headers, body: sent, signal });
      const bytes = await this.whole(url, answer.body);
      const shown = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) shown.set(name, String(value));
      return new Response(BODILESS.has(answer.statusCode) ? null : bytes, {
        status: answer.statusCode,
        headers: shown,
      });
    } catch (error) {
      if (signal.aborted)
        throw new AditError('TIMED_OUT', `${url.origin} did not answer within ${timeoutMs / 1000} s.`);
      throw refusalIn(error) ?? error;
    }
  }

  private async whole(
    url: URL,
    body: AsyncIterable<Buffer> & { destroy(): unknown },
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { maxBytes } = this.options;
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of body) {
      size += piece.byteLength;
      // What leaves the loop early destroys the body.
      if (size > maxBytes) throw new AditError('TOO_LARGE', `${url.origin} answered more than ${maxBytes} bytes.`);
      pieces.push(piece);
    }
    return new Uint8Array(Buffer.concat(pieces));
  }

  /** Breaks off what is still under way. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

function textOf(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  throw new TypeError('Only a text or a form can be sent.');
}
