import type { ConnectedOptions } from '../connect-camera.js';
import { parseLiveAddress, shownAddress } from '../../fetch/live-address.js';
import { refused } from '../live-faults.js';
import type { LiveRun } from '../live-run.js';
import { ended, startRun } from '../start-run.js';
import { RtmpRelay } from './rtmp-relay.js';

const READER = { protocols: ['tcp', 'rtmp'], demuxers: ['flv', 'live_flv'], inputOptions: ['-rtmp_live', 'live'] };

/** Opens a stream over RTMP: the connection is made here and checked, and a confined ffmpeg reads through a relay. */
export async function* openRtmp(uri: string, options: ConnectedOptions): AsyncGenerator<LiveRun> {
  const address = parseLiveAddress(uri);
  const shown = shownAddress(uri);
  if (address.credentials !== null) {
    throw refused(shown, 'over RTMP a user name and a password are part of the path, as its server expects them');
  }
  const { body, relay } = await startRun(shown, options, (camera) => RtmpRelay.open(address, camera), READER);
  try {
    yield { container: 'nut', body, isSegmented: false, statedTime: null, gap: null };
  } finally {
    await ended(body);
  }
  options.signal.throwIfAborted();
  if (relay.failure !== null) throw relay.failure;
}
