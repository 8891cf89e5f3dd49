import { AditError } from '@adit/contracts';
import { parseLiveAddress } from '../../fetch/live-address.js';
import type { SourcePolicy } from '../../fetch/source-uri.js';
import { MAX_STREAM_ID_BYTES } from './handshake.js';
import { KEY_BYTES, type KeyBytes } from './key-material.js';

export interface SrtAddress {
  /** Where to call; null where a call is waited for. An IPv6 host is in brackets. */
  host: string | null;
  port: number;
  /** Empty for none. Of a listener: what callers have to name. */
  streamId: string;
  /** Null for none. It is a secret. */
  passphrase: string | null;
  /** Null where the other end or the default decides. */
  keyBytes: KeyBytes | null;
  /** How long a missing packet is waited for. */
  latencyMs: number;
}

const DEFAULT_LATENCY_MS = 500;
const MAX_LATENCY_MS = 30_000;
/** Bytes of a passphrase. */
const PASSPHRASE = { least: 10, most: 79 };
const MAX_LENGTH = 4096;
const LISTENER = /^srt:\/\/:(\d{1,5})\/?(?=\?|$)/i;
/** Parameters; the last three, which other programs write, change nothing in what is received. */
const NAMES = ['streamid', 'passphrase', 'pbkeylen', 'latency', 'mode', 'transtype', 'pkt_size', 'payload_size'];

/**
 * Parses the address of a stream over SRT: `srt://HOST:PORT?…`, or `srt://:PORT?mode=listener&…`. Whether its host may
 * be reached is checked when it is connected to. Throws VALIDATION for an address that cannot be read or has an unknown
 * parameter, SOURCE_REFUSED where it wants what is not supported or not allowed. The messages repeat no part of it.
 */
export function parseSrtAddress(uri: string, policy: SourcePolicy): SrtAddress {
  if (uri.length > MAX_LENGTH) throw invalid('it is too long');
  if (!/^[!-~]*$/.test(uri)) {
    throw invalid('it holds a space or another character that has to be written as %XX');
  }
  const mark = uri.indexOf('?');
  const base = mark < 0 ? uri : uri.slice(0, mark);
  const parameters = parametersOf(mark < 0 ? '' : uri.slice(mark + 1));
  const shared = sharedFields(parameters);
  const mode = parameters.get('mode') ?? 'caller';
  if (mode === 'rendezvous') throw refused('rendezvous mode is not supported');
  if (mode !== 'caller' && mode !== 'listener') throw invalid('mode is caller or listener');
  const port = srtListenPort(uri);
  if (mode === 'caller') {
    if (port !== null) throw invalid('it names no host; to wait for a call it needs mode=listener');
    return { ...placeOf(base), ...shared };
  }
  if (port === null) throw invalid('an address to wait at names a port and no host, as srt://:9000?mode=listener');
  checkListening(port, shared.passphrase, policy);
  return { host: null, port, ...shared };
}

/** Returns the port at which an address waits for calls, by its form alone; null where it does not. */
export function srtListenPort(uri: string): number | null {
  const port = LISTENER.exec(uri)?.[1];
  return port === undefined ? null : Number(port);
}

function placeOf(base: string): { host: string; port: number } {
  const { host, port, path, credentials } = parseLiveAddress(base);
  if (credentials !== null) throw invalid('over SRT a user name and a password are part of streamid');
  if (path !== '' && path !== '/') throw invalid('it has a path; what a server expects in its place is streamid');
  return { host, port };
}

/** Everything after the question mark, also `#`, with which stream ids begin. */
function parametersOf(query: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).toLowerCase();
    // What is not known may be the rest of a passphrase, and is not repeated.
    if (!NAMES.includes(name)) {
      throw invalid(`it has an unknown parameter. Known are ${NAMES.join(', ')}; a & in a value is written as %26`);
    }
    if (found.has(name)) throw invalid(`it has ${name} twice`);
    found.set(name, decoded(part.slice(at + 1)));
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a percent sign in its parameters has to be written as %25');
  }
}

type SharedFields = Omit<SrtAddress, 'host' | 'port'>;

function sharedFields(parameters: Map<string, string>): SharedFields {
  if ((parameters.get('transtype') ?? 'live') !== 'live') throw refused('only live mode is supported (transtype=live)');
  const streamId = parameters.get('streamid') ?? '';
  if (Buffer.byteLength(streamId) > MAX_STREAM_ID_BYTES)
    throw invalid(`streamid has at most ${MAX_STREAM_ID_BYTES} bytes`);
  return {
    streamId,
    passphrase: passphraseOf(parameters.get('passphrase') ?? ''),
    keyBytes: keyBytesOf(parameters.get('pbkeylen') ?? '0'),
    latencyMs: latencyOf(parameters.get('latency') ?? String(DEFAULT_LATENCY_MS)),
  };
}

function passphraseOf(text: string): string | null {
  if (text === '') return null;
  const bytes = Buffer.byteLength(text);
  if (bytes >= PASSPHRASE.least && bytes <= PASSPHRASE.most) return text;
  throw invalid(`a passphrase has ${PASSPHRASE.least} to ${PASSPHRASE.most} characters`);
}

function keyBytesOf(text: string): KeyBytes | null {
  const found = KEY_BYTES.find((bytes) => String(bytes) === text);
  if (found === undefined && text !== '0') throw invalid(`pbkeylen is ${KEY_BYTES.join(', ')}, or 0 for any`);
  return found ?? null;
}

function latencyOf(text: string): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value <= MAX_LATENCY_MS) return value;
  throw invalid(`latency is a number of milliseconds from 0 to ${MAX_LATENCY_MS}`);
}

function checkListening(port: number, passphrase: string | null, policy: SourcePolicy): void {
  const { srtListenPorts = [], srtListenOpen = false } = policy;
  if (srtListenPorts.length === 0) throw refused('waiting for calls is not allowed here (ADIT_SRT_LISTEN_PORTS)');
  const isAllowed = srtListenPorts.some((range) => {
    const [first = '', last = first] = range.split('-');
    return port >= Number(first) && port <= Number(last);
  });
  if (!isAllowed || port === 0)
    throw refused(`its port is none of ${srtListenPorts.join(', ')} (ADIT_SRT_LISTEN_PORTS)`);
  if (passphrase !== null || srtListenOpen) return;
  throw refused('to wait for calls it needs a passphrase (ADIT_SRT_LISTEN_OPEN)');
}

function invalid(reason: string): AditError {
  return new AditError('VALIDATION', `The address of the stream is refused: ${reason}.`);
}

function refused(reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The address of the stream is refused: ${reason}.`);
}
