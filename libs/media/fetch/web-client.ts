import type { IncomingHttpHeaders } from 'node:http';
import { AditError, errorCode } from '@adit/contracts';
import { AddressRefused, checkedAgent, refusalIn, type ResolveHost } from '@adit/net';
import { clientRequest, withSpan } from '@adit/runtime';
import { request, type Agent, type Dispatcher } from 'undici';
import { sentNothing, within } from './private-file.js';
import type { WebCredentials } from './web-credentials.js';
import { brief, checkWebAddress, sourceAddresses, type SourcePolicy } from './source-uri.js';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface WebClientOptions {
  policy: SourcePolicy;
  /** Longest time in seconds without a byte. */
  idleTimeoutSeconds: number;
  signal?: AbortSignal;
  /** Replaces the system's resolver. */
  resolveHost?: ResolveHost;
  credentials?: WebCredentials | null;
  /** Takes the answers of SHOUTcast 1 for those of HTTP. */
  shoutcast?: boolean;
}

interface GetOptions {
  headers?: Record<string, string>;
  /** When waiting for the head of the answer ends in any case, and the total time that the error then names. */
  deadline?: { at: number; totalSeconds: number };
  /** Default true. Without it a redirect is an answer like any other. */
  followsRedirects?: boolean;
}

export interface WebAnswer {
  /** Where it came from, after all redirects. */
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  body: Dispatcher.ResponseData['body'];
}

/**
 * Requests over http(s) with protection against SSRF. Host names are resolved here and refused when any address is not
 * public, and the connection uses the very address that was checked. Redirects are followed here, each checked anew;
 * never from https to http. Credentials go to their own origin alone, whatever leads elsewhere. Sends no cookies and uses no
 * proxy.
 */
export class WebClient {
  private readonly agent: Agent;

  constructor(private readonly options: WebClientOptions) {
    const { policy, idleTimeoutSeconds, resolveHost, shoutcast } = options;
    const addresses = sourceAddresses(policy);
    this.agent = checkedAgent({ addresses, timeoutMs: idleTimeoutSeconds * 1000, resolveHost, shoutcast });
  }

  /** Answers with any status but that of a redirect that is followed. Whoever does not read the body destroys it. */
  async get(start: URL, { headers, deadline, followsRedirects = true }: GetOptions = {}): Promise<WebAnswer> {
    let url = start;
    for (let hop = 0; ; hop++) {
      checkWebAddress(url, this.options.policy);
      const response = await traced(url, hop, () => this.open(url, headers, deadline));
      if (!followsRedirects || !REDIRECTS.has(response.statusCode)) {
        return { url, status: response.statusCode, headers: response.headers, body: response.body };
      }
      discard(response.body);
      if (hop === MAX_REDIRECTS) throw refusedAddress(start, `it redirects more than ${MAX_REDIRECTS} times`);
      url = redirectTarget(url, response.headers.location);
    }
  }

  /** Maps network errors to ours, which are often wrapped as the cause. */
  explained(url: URL, error: unknown): unknown {
    const { signal, idleTimeoutSeconds } = this.options;
    if (signal?.aborted) return signal.reason;
    const refusal = refusalIn(error);
    if (refusal !== null) return refusal;
    const code = errorCode(error) ?? '';
    // The connection's timeout starts earlier than the copy's, which begins once there is a file.
    if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) return sentNothing(idleTimeoutSeconds);
    const message = error instanceof Error ? error.message : String(error);
    if (code === 'ENOTFOUND') return refusedAddress(url, 'its host name is not known');
    if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code)) {
      return refusedAddress(url, `its certificate is not accepted (${code})`);
    }
    return new AditError('SOURCE_UNAVAILABLE', `${brief(url.href)} cannot be fetched: ${message || code}.`, {
      cause: error,
    });
  }

  /** Ends all connections. Waits for nothing that a hostile server could delay. */
  close(): void {
    void this.agent.destroy().catch(() => undefined);
  }

  private open(
    url: URL,
    headers: Record<string, string> | undefined,
    deadline: GetOptions['deadline'],
  ): Promise<Dispatcher.ResponseData> {
    const { signal, idleTimeoutSeconds, credentials } = this.options;
    const authorization = credentials?.origin === url.origin ? credentials.authorization : undefined;
    const response = request(url, {
      dispatcher: this.agent,
      method: 'GET',
      headers: {
        'user-agent': 'adit',
        accept: '*/*',
        'accept-encoding': 'identity',
        ...headers,
        ...(authorization !== undefined && { authorization }),
      },
      signal,
    });
    const { at, totalSeconds } = deadline ?? { at: Infinity, totalSeconds: 0 };
    return within(response, idleTimeoutSeconds, at, totalSeconds, signal).catch((error: unknown) => {
      void response.then(({ body }) => discard(body)).catch(() => undefined);
      throw error;
    });
  }
}

/** Ends the connection of a body that nobody reads. */
export function discard(body: WebAnswer['body']): void {
  body.on('error', () => undefined).destroy();
}

/** Throws unless the status is 200: SOURCE_UNAVAILABLE where another try may help, else SOURCE_REFUSED. */
export function checkStatus(url: URL, status: number): void {
  if (status === 200) return;
  if (status >= 500 || status === 429 || status === 408) {
    throw new AditError('SOURCE_UNAVAILABLE', `${brief(url.href)} answers HTTP status ${status} now.`);
  }
  throw refusedAddress(url, `it answers HTTP status ${status}`);
}

export function refusedAddress(url: URL, reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The source ${brief(url.href)} is refused: ${reason}.`);
}

/** Traces one request: its span ends with the response head; the body belongs to the surrounding work. */
function traced(url: URL, hop: number, send: () => Promise<Dispatcher.ResponseData>): Promise<Dispatcher.ResponseData> {
  const attributes = { ...clientRequest('GET', url), ...(hop > 0 && { 'http.request.resend_count': hop }) };
  return withSpan('GET', { role: 'client', attributes }, async (span) => {
    const response = await send();
    span.describe({ 'http.response.status_code': response.statusCode });
    if (response.statusCode >= 400) span.failAs(String(response.statusCode));
    return response;
  });
}

function redirectTarget(from: URL, location: string | string[] | undefined): URL {
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw refusedAddress(from, 'it redirects to nowhere');
  }
  const url = new URL(location, from);
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    throw new AddressRefused(`The source ${brief(from.href)} is refused: it redirects from https:// to http://.`);
  }
  return url;
}
