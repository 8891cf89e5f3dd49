import type { ConnectedOptions } from '../connect-camera.js';
import { parseLiveAddress, shownAddress } from '../../fetch/live-address.js';
import { refused } from '../live-faults.js';
import type { LiveRun } from '../live-run.js';
import { ended, startRun } from '../start-run.js';
import { Relay } from './relay.js';

export interface RtspOptions extends ConnectedOptions {
  /**
   * Way of the media: `tcp` within the connection, but as datagrams where the server offers nothing else; `udp` as
   * datagrams. Default `tcp`.
   */
  transport?: 'tcp' | 'udp';
}

/** Times that a server may send us elsewhere while a stream runs. */
const MAX_MOVES = 5;
const READER = {
  protocols: ['tcp', 'rtsp', 'rtp'],
  demuxers: ['rtsp', 'rtp', 'sdp'],
  inputOptions: ['-rtsp_transport', 'tcp'],
};

/** Opens a stream over RTSP: the connections are made here and checked, and a confined ffmpeg reads through a relay. */
export async function* openRtsp(uri: string, options: RtspOptions): AsyncGenerator<LiveRun> {
  const { transport = 'tcp' } = options;
  let address = parseLiveAddress(uri);
  for (let moves = 0; ; moves++) {
    const to = address;
    const { body, relay } = await startRun(
      shownAddress(String(to)),
      options,
      (camera) => Relay.open(to, { ...camera, transport }),
      READER,
    );
    try {
      const gap = moves === 0 ? null : 'The server moved the stream to another address.';
      yield { container: 'nut', body, isSegmented: false, statedTime: null, gap };
    } finally {
      await ended(body);
    }
    options.signal.throwIfAborted();
    if (relay.failure !== null) throw relay.failure;
    if (relay.movedTo === null) return;
    if (moves === MAX_MOVES) throw refused(shownAddress(uri), `it moves more than ${MAX_MOVES} times`);
    address = relay.movedTo;
  }
}
