import { readSegments } from '../segments/segment-reader.js';
import type { OpenLive } from '../live-run.js';
import { HlsClient } from './hls-client.js';

/**
 * Reads a live stream over HLS. Playlists, segments and keys are fetched by `HlsClient`, never by ffmpeg. Sound in
 * playlists of its own is not read (see `chooseVariant`).
 */
export const openHls: OpenLive = (uri, options) => readSegments(options, (of) => new HlsClient(new URL(uri), of));
