import { errorCode, errorMessage } from '@adit/contracts';
import { checkedAgent, refusalIn, webAddressFault, type ResolveHost, type WebPolicy } from '@adit/net';
import { clientRequest, currentTraceparent, withSpan } from '@adit/runtime';
import { request, type Agent, type Dispatcher } from 'undici';

export interface SenderOptions {
  policy: WebPolicy;
  /** For connecting, sending and the whole answer together. */
  timeoutSeconds?: number;
  /** Instead of the system's resolver. */
  resolveHost?: ResolveHost;
  /** PEM certificates to trust in place of the system's. */
  ca?: string;
}

/** Outcome of one attempt. */
export interface Answer {
  /** delivered: any 2xx · gone: 410 · failed: all else, redirects too. */
  outcome: 'delivered' | 'gone' | 'failed';
  /** Why, in one word, for metrics. */
  reason: 'ok' | 'gone' | 'redirect' | 'status' | 'refused' | 'timeout' | 'network';
  status: number | null;
  /** Why it did not succeed, for the owner of the webhook. */
  error: string | null;
  /** The first bytes of the answer's body. */
  response: string | null;
  /** From `Retry-After` in seconds; 0 without. */
  retryAfterSeconds: number;
}

const KEPT_RESPONSE_BYTES = 4096;

/** Posts deliveries. Connects to permitted addresses only, pins the address it checked, follows no redirect. */
export class Sender {
  private readonly agent: Agent;
  private readonly timeoutMs: number;

  constructor(private readonly options: SenderOptions) {
    this.timeoutMs = (options.timeoutSeconds ?? 15) * 1000;
    const { policy, resolveHost, ca } = options;
    this.agent = checkedAgent({ addresses: policy.addresses, timeoutMs: this.timeoutMs, resolveHost, ca });
  }

  /** Never throws: whatever goes wrong is an answer. */
  async post(target: string, headers: Record<string, string>, body: string): Promise<Answer> {
    if (!URL.canParse(target)) return failed('refused', 'The callback is not a web address.');
    const url = new URL(target);
    const fault = webAddressFault(url, this.options.policy);
    if (fault !== null) return failed('refused', `The callback is refused: ${fault}.`);
    return withSpan('POST', { role: 'client', attributes: clientRequest('POST', url) }, async (span) => {
      const answer = await this.exchange(url, headers, body);
      if (answer.status !== null) span.describe({ 'http.response.status_code': answer.status });
      if (answer.status === null || answer.status >= 400) span.failAs(String(answer.status ?? answer.reason));
      return answer;
    });
  }

  private async exchange(url: URL, headers: Record<string, string>, body: string): Promise<Answer> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.timeoutMs);
    const traceparent = currentTraceparent();
    try {
      const response = await request(url, {
        dispatcher: this.agent,
        method: 'POST',
        headers: {
          'user-agent': 'adit-webhooks',
          'content-type': 'application/json; charset=utf-8',
          accept: '*/*',
          'accept-encoding': 'identity',
          ...(traceparent === null ? {} : { traceparent }),
          ...headers,
        },
        body,
        signal: timeout.signal,
      });
      return answered(response, await beginningOf(response.body));
    } catch (error) {
      if (timeout.signal.aborted) return failed('timeout', `No answer within ${this.timeoutMs / 1000} s.`);
      const refusal = refusalIn(error);
      if (refusal !== null) return failed('refused', refusal.message);
      return failed(...networkFailure(error));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Breaks off what is still under way. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

function answered({ statusCode: status, headers }: Dispatcher.ResponseData, response: string): Answer {
  const base = { status, response, retryAfterSeconds: retryAfter(headers['retry-after']) };
  if (status >= 200 && status < 300) return { ...base, outcome: 'delivered', reason: 'ok', error: null };
  if (status === 410) {
    return { ...base, outcome: 'gone', reason: 'gone', error: 'The receiver answered 410: it wants no more.' };
  }
  if (status >= 300 && status < 400) {
    const error = `The receiver redirects (${status}); redirects are not followed.`;
    return { ...base, outcome: 'failed', reason: 'redirect', error };
  }
  return { ...base, outcome: 'failed', reason: 'status', error: `The receiver answered ${status}.` };
}

function failed(reason: Answer['reason'], error: string): Answer {
  return { outcome: 'failed', reason, status: null, error, response: null, retryAfterSeconds: 0 };
}

/** The status decides; a body that stalls, breaks off or does not end changes nothing. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    const read: AsyncIterable<Buffer> = body;
    for await (const piece of read) {
      pieces.push(piece);
      size += piece.byteLength;
      if (size >= KEPT_RESPONSE_BYTES) break;
    }
  } catch {
    // The part received so far is kept.
  } finally {
    body.on('error', () => undefined).destroy();
  }
  // PostgreSQL's text holds no NUL.
  return Buffer.concat(pieces).subarray(0, KEPT_RESPONSE_BYTES).toString('utf8').replaceAll('\0', '\uFFFD');
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfter(header: string | string[] | undefined): number {
  if (typeof header !== 'string') return 0;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}

function networkFailure(error: unknown): [Answer['reason'], string] {
  const [code, message] = [errorCode(error) ?? '', errorMessage(error) ?? String(error)];
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return ['timeout', 'The receiver did not answer in time.'];
  if (code === 'ENOTFOUND') return ['network', 'The host name of the callback is not known.'];
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code)) {
    return ['network', `The receiver's certificate is not accepted (${code}).`];
  }
  return ['network', `The receiver cannot be reached: ${message || code}.`];
}
