import { AditError, errorCode } from '@adit/contracts';
import { checkedAgent, refusalIn, type ResolveHost } from '@adit/net';
import { clientRequest, withSpan } from '@adit/runtime';
import { request, type Agent, type Dispatcher } from 'undici';
import {
  copyToPrivateFile,
  sentNothing,
  tooLarge,
  within,
  type CopyLimits,
  type FetchedSource,
} from './private-file.js';
import { brief, checkWebAddress, sourceAddresses, type SourcePolicy } from './source-uri.js';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads over http(s) with protection against SSRF. Host names are resolved here and refused when any address is not
 * public, and the connection uses the very address that was checked. Redirects are followed here, each checked anew;
 * never from https to http. Sends no cookies or credentials and uses no proxy.
 */
export async function fetchWeb(
  start: URL,
  policy: SourcePolicy,
  limits: CopyLimits,
  resolveHost?: ResolveHost,
): Promise<FetchedSource> {
  const deadline = Date.now() + limits.timeoutSeconds * 1000;
  const addresses = sourceAddresses(policy);
  const agent = checkedAgent({ addresses, timeoutMs: limits.idleTimeoutSeconds * 1000, resolveHost });
  try {
    let url = start;
    for (let hop = 0; ; hop++) {
      checkWebAddress(url, policy);
      const response = await traced(url, hop, () => open(url, agent, limits, deadline));
      if (REDIRECTS.has(response.statusCode)) {
        response.body.on('error', () => undefined).destroy();
        if (hop === MAX_REDIRECTS) throw refused(start, `it redirects more than ${MAX_REDIRECTS} times`);
        url = redirectTarget(url, response.headers.location);
        continue;
      }
      checkStatus(url, response.statusCode);
      const announced = Number(response.headers['content-length'] ?? NaN);
      if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
      return await copyToPrivateFile(response.body, limits, deadline);
    }
  } catch (error) {
    throw explained(start, error, limits);
  } finally {
    // `destroy()` waits for nothing that a hostile server could delay.
    void agent.destroy().catch(() => undefined);
  }
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

function open(url: URL, agent: Agent, limits: CopyLimits, deadline: number): Promise<Dispatcher.ResponseData> {
  const response = request(url, {
    dispatcher: agent,
    method: 'GET',
    headers: { 'user-agent': 'adit', accept: '*/*', 'accept-encoding': 'identity' },
    signal: limits.signal,
  });
  return within(response, limits.idleTimeoutSeconds, deadline, limits.timeoutSeconds, limits.signal);
}

function redirectTarget(from: URL, location: string | string[] | undefined): URL {
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw refused(from, 'it redirects to nowhere');
  }
  const url = new URL(location, from);
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    throw refused(from, 'it redirects from https:// to http://');
  }
  return url;
}

function checkStatus(url: URL, status: number): void {
  if (status === 200) return;
  if (status >= 500 || status === 429 || status === 408) {
    throw new AditError('SOURCE_UNAVAILABLE', `${brief(url.href)} answers HTTP status ${status} now.`);
  }
  throw refused(url, `it answers HTTP status ${status}`);
}

/** Maps network errors to ours; ours are often wrapped as the cause. */
function explained(url: URL, error: unknown, { signal, idleTimeoutSeconds }: CopyLimits): unknown {
  if (signal?.aborted) return signal.reason;
  const refusal = refusalIn(error);
  if (refusal !== null) return refusal;
  const code = errorCode(error) ?? '';
  // The connection's timeout starts earlier than the copy's, which begins once there is a file.
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) return sentNothing(idleTimeoutSeconds);
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'ENOTFOUND') return refused(url, 'its host name is not known');
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code)) return refused(url, `its certificate is not accepted (${code})`);
  return new AditError('SOURCE_UNAVAILABLE', `${brief(url.href)} cannot be fetched: ${message || code}.`, {
    cause: error,
  });
}

function refused(url: URL, reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The source ${brief(url.href)} is refused: ${reason}.`);
}
