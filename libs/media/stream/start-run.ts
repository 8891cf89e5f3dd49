import { sourceAddresses } from '../fetch/source-uri.js';
import { shortReason } from '../ffmpeg/ffprobe.js';
import type { OpenedChild } from '../sandbox/open-child.js';
import type { CameraOptions, ConnectedOptions } from './connect-camera.js';
import { refused, unavailable } from './live-faults.js';
import { hasBegun, startRemux, type Remux } from './remux.js';
import { RunBody } from './run-body.js';

/** Stands on loopback between a confined reader and the server of a stream. */
export interface StreamRelay {
  /** Address for the reader. It is a secret. */
  readonly url: string;
  /** Why the stream broke; null while it lasts, and when it came to its end. */
  readonly failure: unknown;
  /** Tells whether the stream has ended, for whatever reason. */
  readonly isOver: boolean;
  close(): Promise<void>;
}

/** Time within which media have to come once a connection is made. */
const BEGIN_MILLISECONDS = 20_000;

/** Opens a relay and reads it. Throws what keeps it from beginning; what ends it later is the body's error. */
export async function startRun<R extends StreamRelay>(
  shown: string,
  options: ConnectedOptions,
  open: (options: CameraOptions) => Promise<R>,
  reader: Omit<Remux, 'url'>,
): Promise<{ body: RunBody; relay: R }> {
  const { resolveHost, idleTimeoutSeconds, ca, uncheckedCertificates } = options;
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const relay = await open({
    ...{ addresses: sourceAddresses(options), resolveHost, signal, ca, uncheckedCertificates },
    timeoutSeconds: idleTimeoutSeconds,
  });
  let child: OpenedChild | null = null;
  const stop = async (): Promise<void> => {
    stopping.abort();
    child?.stop();
    await Promise.all([relay.close(), child?.ended]);
  };
  try {
    options.signal.throwIfAborted();
    child = await startRemux({ ...reader, url: relay.url });
    const kill = (): void => child?.stop();
    options.signal.addEventListener('abort', kill, { once: true });
    // A server may send for ever what is no media.
    const begin = { isLate: false };
    const late = setTimeout(() => {
      begin.isLate = true;
      kill();
    }, BEGIN_MILLISECONDS);
    const begun = await hasBegun(child).finally(() => {
      clearTimeout(late);
      options.signal.removeEventListener('abort', kill);
    });
    options.signal.throwIfAborted();
    if (begin.isLate && !begun) throw unavailable(shown, 'it sends nothing that can be read');
    if (!begun) throw await whyNothing(shown, relay, child);
    const body = bodyOf(shown, relay, child, stop);
    abortable(body, options.signal);
    return { body, relay };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Destroys the body of a run unless that was done, and waits until nothing is left of it. */
export async function ended(body: RunBody): Promise<void> {
  if (body.closed) return;
  await new Promise((resolve) => {
    body.once('close', resolve);
    body.on('error', () => undefined).destroy();
  });
}

function bodyOf(shown: string, relay: StreamRelay, child: OpenedChild, stop: () => Promise<void>): RunBody {
  return new RunBody({
    output: child.stdout,
    stop,
    failure: async () => {
      const { code, killedBy } = await child.ended;
      // ffmpeg also ends by itself at a regular end, and says 0 to most failures.
      if (relay.failure !== null || relay.isOver) return relay.failure;
      return unavailable(shown, `what reads it has ended (${killedBy ?? code})`);
    },
  });
}

async function whyNothing(shown: string, relay: StreamRelay, child: OpenedChild): Promise<unknown> {
  const { stderr } = await child.ended;
  if (relay.failure !== null) return relay.failure;
  if (relay.isOver) return unavailable(shown, 'it ended before it began');
  return refused(shown, `ffmpeg cannot read it: ${shortReason(stderr, relay.url)}`);
}

/** Destroys the body when the signal fires. */
export function abortable(body: RunBody, signal: AbortSignal): void {
  const abort = (): void => void body.destroy(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
  signal.addEventListener('abort', abort, { once: true });
  body.once('close', () => signal.removeEventListener('abort', abort));
}
