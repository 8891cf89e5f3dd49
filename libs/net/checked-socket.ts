import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AditError } from '@adit/contracts';
import type { AddressPolicy } from './addresses.js';
import { notPermitted, resolveBySystem, resolvePermitted, type ResolveHost } from './resolve.js';

export interface CheckedConnection {
  /** Host name or IP address; IPv6 with or without brackets. */
  host: string;
  port: number;
  addresses: AddressPolicy;
  /** Milliseconds until the connection stands, with TLS where it is asked for. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Instead of the system's resolver. */
  resolveHost?: ResolveHost | undefined;
  /** Encrypts the connection and checks the certificate. */
  tls?: {
    /** PEM certificates to trust in place of the system's. */
    ca?: string | undefined;
    /** Accepts any certificate, as of a camera that made its own: protects from listeners, not from impostors. */
    acceptAnyCertificate?: boolean | undefined;
  };
}

/**
 * Opens a TCP connection to a permitted address, with the guarantees of `checkedAgent`: the name is resolved here, all
 * its addresses are checked, and the connection goes to the one that was checked. Throws SOURCE_REFUSED for an address
 * that is not permitted, else the system's error.
 */
export async function connectChecked(options: CheckedConnection): Promise<Socket> {
  const { host, port, addresses, timeoutMs, signal, resolveHost = resolveBySystem, tls } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const name = bareHost(host);
  const found = await permittedUntil(ended, { host, addresses, resolveHost });
  let failure: unknown;
  for (const address of found.slice(0, MAX_TRIED)) {
    try {
      const socket = await opened(connect({ host: address, port, noDelay: true }), 'connect', ended);
      const peer = socket.remoteAddress ?? '';
      if (!addresses.permits(peer)) {
        socket.destroy();
        throw notPermitted(host, peer, addresses);
      }
      return tls === undefined ? socket : await encrypted(socket, name, tls, ended);
    } catch (error) {
      if (ended.aborted || error instanceof AditError) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** Addresses of one name that are tried in turn. */
const MAX_TRIED = 4;

/**
 * Returns all IP addresses of a host, each of them permitted. Whoever connects has to use one of these: the name may
 * lead elsewhere the next time. Throws SOURCE_REFUSED for an address that is not permitted, else the system's error.
 */
export async function permittedAddresses(
  options: Pick<CheckedConnection, 'host' | 'addresses' | 'timeoutMs' | 'signal' | 'resolveHost'>,
): Promise<string[]> {
  const { host, addresses, timeoutMs, signal, resolveHost = resolveBySystem } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  return await permittedUntil(ended, { host, addresses, resolveHost });
}

async function permittedUntil(
  ended: AbortSignal,
  { host, addresses, resolveHost }: { host: string; addresses: AddressPolicy; resolveHost: ResolveHost },
): Promise<string[]> {
  const name = bareHost(host);
  if (isIP(name) && !addresses.permits(name)) throw notPermitted(host, name, addresses);
  if (isIP(name)) return [name];
  const found = await until(ended, resolvePermitted(name, addresses, resolveHost));
  return found.map(({ address }) => address);
}

function bareHost(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}

function encrypted(
  socket: Socket,
  name: string,
  { ca, acceptAnyCertificate = false }: NonNullable<CheckedConnection['tls']>,
  ended: AbortSignal,
): Promise<Socket> {
  const secure = connectTls({
    socket,
    host: name,
    // Server names are never addresses (RFC 6066).
    ...(isIP(name) ? {} : { servername: name }),
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: !acceptAnyCertificate,
  });
  return opened(secure, 'secureConnect', ended);
}

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', ended: AbortSignal): Promise<S> {
  return until(
    ended,
    new Promise((resolve, reject) => {
      // It stays: an error that nobody listens to would end the process.
      socket.on('error', reject);
      socket.once('close', () => reject(new Error('The connection was closed.')));
      socket.once(event, () => resolve(socket));
    }),
    () => socket.destroy(),
  );
}

/** Awaits `work`; when `ended` comes first, cleans up and throws its reason. */
function until<T>(ended: AbortSignal, work: Promise<T>, cleanUp: () => void = () => undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cleanUp();
      reject(ended.reason);
    };
    if (ended.aborted) stop();
    else ended.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => ended.removeEventListener('abort', stop));
  });
}
