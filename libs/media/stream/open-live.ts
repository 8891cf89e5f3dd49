import { AditError } from '@adit/contracts';
import { streamProtocol, type LiveProtocol } from '../fetch/live-address.js';
import { openDash } from './dash/open-dash.js';
import { openHls } from './hls/open-hls.js';
import { openHttp } from './http/open-http.js';
import type { LiveRun, OpenLive } from './live-run.js';
import { openRtmp } from './rtmp/open-rtmp.js';
import { openRtsp } from './rtsp/open-rtsp.js';
import { openSrt } from './srt/open-srt.js';

/** Reader of each protocol. */
const READERS: Record<LiveProtocol, OpenLive> = {
  rtsp: openRtsp,
  hls: openHls,
  dash: openDash,
  http: openHttp,
  rtmp: openRtmp,
  srt: openSrt,
};

/** Opens a live stream with the reader of its protocol; see `OpenLive`. */
export const openLive: OpenLive = (uri, options): AsyncGenerator<LiveRun> => {
  const protocol = streamProtocol(uri);
  if (protocol === null) throw new AditError('SOURCE_REFUSED', 'This is not the address of a live stream.');
  return READERS[protocol](uri, options);
};
