import type { Socket } from 'node:net';
import { connectChecked, type AddressPolicy, type ResolveHost } from '@adit/net';
import { shownAddress, type LiveAddress } from '../fetch/live-address.js';
import { connectFault } from './live-faults.js';
import type { LiveOptions } from './live-run.js';

/** Options of streams that are read over a connection of our own. */
export interface ConnectedOptions extends LiveOptions {
  /** PEM certificates to trust over an encrypted connection in place of the system's. */
  ca?: string;
  /** Hosts whose certificates are not checked over an encrypted connection, or `*`; default none. */
  uncheckedCertificates?: readonly string[];
}

export interface CameraOptions {
  addresses: AddressPolicy;
  resolveHost?: ResolveHost | undefined;
  signal: AbortSignal;
  /** Seconds for connecting and for each answer. */
  timeoutSeconds: number;
  ca?: string | undefined;
  uncheckedCertificates?: readonly string[] | undefined;
}

const ENCRYPTED = new Set(['rtsps', 'rtmps']);

/**
 * Connects to the server of a stream, encrypted where its protocol is. Throws SOURCE_REFUSED for an address that must
 * not be reached, SOURCE_UNAVAILABLE when nobody answers.
 */
export async function connectCamera(address: LiveAddress, options: CameraOptions): Promise<Socket> {
  const { addresses, resolveHost, signal, timeoutSeconds, ca, uncheckedCertificates = [] } = options;
  const { host, port, protocol } = address;
  const target = { host, port, addresses, resolveHost, signal, timeoutMs: timeoutSeconds * 1000 };
  const acceptAnyCertificate = uncheckedCertificates.includes(host) || uncheckedCertificates.includes('*');
  try {
    return await connectChecked({ ...target, ...(ENCRYPTED.has(protocol) && { tls: { ca, acceptAnyCertificate } }) });
  } catch (error) {
    throw signal.aborted ? signal.reason : connectFault(shownAddress(String(address)), error, timeoutSeconds);
  }
}
