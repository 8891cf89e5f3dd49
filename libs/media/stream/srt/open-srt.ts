import { createLogger } from '@adit/runtime';
import { once } from 'node:events';
import { shownAddress } from '../../fetch/live-address.js';
import { sourceAddresses } from '../../fetch/source-uri.js';
import type { LiveOptions, LiveRun } from '../live-run.js';
import { RunBody } from '../run-body.js';
import { abortable, ended } from '../start-run.js';
import { callServer } from './call.js';
import { awaitCall } from './listen.js';
import type { SrtReceiver } from './receiver.js';
import { parseSrtAddress, type SrtAddress } from './srt-address.js';

const log = createLogger('srt');

/**
 * Opens a stream over SRT, which is MPEG-TS in messages of live mode. Packets that are missing after the latency leave a
 * hole in it, which the decoder passes over; the run goes on.
 */
export async function* openSrt(uri: string, options: LiveOptions): AsyncGenerator<LiveRun> {
  const address = parseSrtAddress(uri, options);
  const shown = shownAddress(uri);
  const receiver = await connect(address, shown, options);
  const { output } = receiver;
  const failure = (): Promise<unknown> => Promise.resolve(receiver.failure);
  const body = new RunBody({ output, failure, stop: () => receiver.close() });
  abortable(body, options.signal);
  try {
    if (body.readableLength === 0) await once(body, 'readable');
    yield {
      container: 'mpegts',
      body,
      isSegmented: false,
      statedTime: null,
      gap: null,
      lostPackets: () => receiver.lost,
    };
  } finally {
    await ended(body);
    if (receiver.lost > 0) log.info({ stream: shown, lost: receiver.lost }, 'packets of a live stream were lost');
  }
  options.signal.throwIfAborted();
  if (receiver.failure !== null) throw receiver.failure;
}

async function connect(address: SrtAddress, shown: string, options: LiveOptions): Promise<SrtReceiver> {
  const { resolveHost, signal, idleTimeoutSeconds: timeoutSeconds } = options;
  signal.throwIfAborted();
  const { host } = address;
  if (host === null) return await awaitCall(address, shown, { signal, timeoutSeconds });
  const reach = { addresses: sourceAddresses(options), resolveHost, signal, timeoutSeconds };
  return await callServer({ ...address, host }, shown, reach);
}
