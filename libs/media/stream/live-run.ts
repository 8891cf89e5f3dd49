import type { Readable } from 'node:stream';
import type { ResolveHost } from '@adit/net';
import type { SourcePolicy } from '../fetch/source-uri.js';
import type { LiveContainer } from '../sandbox/ffmpeg-guard.js';

/**
 * A continuous part of a live stream: one container from its first byte to a break. A reconnect, a discontinuity and a
 * hole in the stream each begin a new one.
 */
export interface LiveRun {
  container: LiveContainer;
  /**
   * Bytes as they arrive. It ends where the run ends, and errors with an AditError where the connection broke. Whoever
   * destroys it stops the stream.
   */
  body: Readable;
  /** Pictures come in segments, seconds of them at once, and not one by one as they are filmed. */
  isSegmented: boolean;
  /** Wall clock of the first picture in milliseconds since 1970, where the stream states one, else null. */
  statedTime: number | null;
  /** Reason of the hole before this run, in words for clients; null for the first run and where nothing was lost. */
  gap: string | null;
  /** Seconds that its clock is ahead of the time that all media of the stream share; 0 when left out. */
  clockOffset?: number;
  /**
   * Opens the sound that comes apart from the pictures of this run, and yields its runs as they begin. It ends with the
   * stream or when the signal fires, and throws where its sound cannot be read. Left out where there is none.
   */
  sound?: (signal: AbortSignal) => AsyncGenerator<LiveRun>;
  /** Packets of the network that are missing in the body by now, where the protocol counts them. */
  lostPackets?: () => number;
}

export interface LiveOptions extends SourcePolicy {
  signal: AbortSignal;
  /** Seconds without a byte after which a connection counts as broken. */
  idleTimeoutSeconds: number;
  /** Replaces the system's resolver. */
  resolveHost?: ResolveHost;
  /** The sound that is wanted where it comes apart from the pictures: a number or language, else the default one. */
  audioTrack?: string | undefined;
}

/**
 * Opens a live stream and yields its runs as they begin; a run ends before the next one is asked for. Returns when the
 * stream has ended by itself. Throws SOURCE_REFUSED for an address that must not be reached or media that cannot be
 * read, SOURCE_UNAVAILABLE when another try may help. It does not reconnect: the recorder does, with backoff.
 */
export type OpenLive = (uri: string, options: LiveOptions) => AsyncGenerator<LiveRun>;
