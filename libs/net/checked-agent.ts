import { isIP, type LookupFunction } from 'node:net';
import { AditError } from '@adit/contracts';
import { Agent, buildConnector } from 'undici';
import type { AddressPolicy } from './addresses.js';
import { notPermitted, resolveBySystem, resolvePermitted, type ResolveHost } from './resolve.js';
import { readShoutcast } from './shoutcast.js';

interface CheckedAgentOptions {
  addresses: AddressPolicy;
  /** Milliseconds for connecting, for the headers and between two pieces of a body. */
  timeoutMs: number;
  /** Instead of the system's resolver. */
  resolveHost?: ResolveHost;
  /** PEM certificates to trust in place of the system's. */
  ca?: string;
  /** Sockets to one origin; any number when left out. */
  connections?: number;
  /** Time that an idle socket is kept. */
  keepAliveMs?: number;
  /** Takes the answers of SHOUTcast 1 for those of HTTP. */
  shoutcast?: boolean;
}

/**
 * An undici agent that connects to permitted addresses only: every host name is resolved by us, refused when any of its
 * addresses is not permitted, and the socket goes to the very address that was checked, so there is no second resolution
 * that could answer differently. No proxy, cookies or credentials; redirects are left to the caller. What is refused
 * fails with SOURCE_REFUSED, often deep in the cause: see `refusalIn`.
 */
export function checkedAgent(options: CheckedAgentOptions): Agent {
  const { addresses, timeoutMs, resolveHost = resolveBySystem, ca, connections, keepAliveMs } = options;
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    resolvePermitted(hostname, addresses, resolveHost).then(
      (found) => {
        const [first] = found;
        if (all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
  const connect = buildConnector({ lookup, timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) });
  return new Agent({
    connect: (target, callback) => {
      const { hostname } = target;
      const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
      if (isIP(literal) && !addresses.permits(literal))
        return callback(notPermitted(hostname, literal, addresses), null);
      connect(target, (...[error, socket]) => {
        if (error) return callback(error, null);
        const peer = socket.remoteAddress ?? '';
        if (options.shoutcast) readShoutcast(socket);
        if (addresses.permits(peer)) return callback(null, socket);
        socket.destroy();
        callback(notPermitted(hostname, peer, addresses), null);
      });
    },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    pipelining: 1,
    maxHeaderSize: 32 << 10,
    ...(connections === undefined ? {} : { connections }),
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs }),
  });
}

/** The error of ours in a failure of the agent, however deep it lies in causes; null when there is none. */
export function refusalIn(error: unknown): AditError | null {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof AditError) return cause;
    if (!(cause instanceof AggregateError)) continue;
    const nested = cause.errors.find((one: unknown) => one instanceof AditError);
    if (nested !== undefined) return nested;
  }
  return null;
}
