import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { AditError } from '@adit/contracts';
import { AddressPolicy } from './addresses.js';
import { copyToPrivateFile, tooLarge, within, type CopyLimits, type FetchedSource } from './private-file.js';
import { brief, checkWebAddress, type SourcePolicy } from './source-uri.js';

/** Resolves a host name to every address it has. */
export type ResolveHost = (hostname: string) => Promise<{ address: string; family: number }[]>;

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads over http(s). Every host name is resolved by us, refused when any of its addresses is not public, and the
 * connection goes to the very address that was checked. Redirects are followed here, each checked anew; never from https to
 * http. No proxy, cookies or credentials.
 */
export async function fetchWeb(
  start: URL,
  policy: SourcePolicy,
  limits: CopyLimits,
  resolveHost: ResolveHost = (hostname) => systemLookup(hostname, { all: true }),
): Promise<FetchedSource> {
  const deadline = Date.now() + limits.timeoutSeconds * 1000;
  const agent = checkedAgent(policy, limits, resolveHost);
  try {
    let url = start;
    for (let hop = 0; ; hop++) {
      checkWebAddress(url, policy);
      const response = await open(url, agent, limits, deadline);
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
    throw explained(start, error, limits.signal);
  } finally {
    // destroy() waits for nothing that a hostile server could hold up.
    void agent.destroy().catch(() => undefined);
  }
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

function checkedAgent(policy: SourcePolicy, limits: CopyLimits, resolveHost: ResolveHost): Agent {
  const addresses = new AddressPolicy(policy.allowPrivateAddresses);
  const timeout = limits.idleTimeoutSeconds * 1000;
  // The socket asks this function, not the system, so there is no second resolution that could answer differently.
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolveHost(hostname).then(
      (found) => {
        const wrong = found.find(({ address }) => !addresses.permits(address));
        if (wrong) return callback(notPublic(hostname, wrong.address), '', 0);
        const [first] = found;
        if (!first) return callback(new AditError('SOURCE_REFUSED', `${hostname} has no address.`), '', 0);
        if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
  const connect = buildConnector({ lookup, timeout });
  return new Agent({
    connect: (options, callback) => {
      const { hostname } = options;
      const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
      if (isIP(literal) && !addresses.permits(literal)) return callback(notPublic(hostname, literal), null);
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        const peer = socket.remoteAddress ?? '';
        if (addresses.permits(peer)) return callback(null, socket);
        socket.destroy();
        callback(notPublic(hostname, peer), null);
      });
    },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    pipelining: 1,
    maxHeaderSize: 32 << 10,
  });
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
    throw new AditError('UNAVAILABLE', `${brief(url.href)} answers ${status} now.`);
  }
  throw refused(url, `it answers ${status}`);
}

/** Errors of the network in our words; an error of ours is often hidden in the cause. */
function explained(url: URL, error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof AditError) return cause;
    const nested =
      cause instanceof AggregateError ? (cause.errors as unknown[]).find((one) => one instanceof AditError) : undefined;
    if (nested) return nested;
  }
  const code = (error as { code?: string }).code ?? '';
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'ENOTFOUND') return refused(url, 'its host name is not known');
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code)) return refused(url, `its certificate is not accepted (${code})`);
  return new AditError('UNAVAILABLE', `${brief(url.href)} cannot be fetched: ${message || code}.`, { cause: error });
}

function notPublic(hostname: string, address: string): AditError {
  return new AditError(
    'SOURCE_REFUSED',
    `The source's host ${hostname} is refused: ${address} is not a public address.`,
  );
}

function refused(url: URL, reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The source ${brief(url.href)} is refused: ${reason}.`);
}
