import type { OpenLive } from '../live-run.js';
import { readSegments } from '../segments/segment-reader.js';
import { DashClient } from './dash-client.js';

/**
 * Reads a live stream over DASH. Manifests and segments are fetched by `DashClient`, never by ffmpeg, which reads
 * segments twice and asks for the next one without a pause. Only pictures are read; each period is a run.
 */
export const openDash: OpenLive = (uri, options) => readSegments(options, (of) => new DashClient(new URL(uri), of));
