import { AditError } from '@adit/contracts';
import type { ResolveHost } from '@adit/net';
import { copyToPrivateFile, type CopyLimits, type FetchedSource } from '../../fetch/private-file.js';
import type { SourcePolicy } from '../../fetch/source-uri.js';
import { isSameResource, type MediaPlaylist, type Segment } from './media-playlist.js';
import type { SegmentClient, SegmentClientOptions } from './segment-client.js';
import { LostSegment, readMap, readSegment } from './read-segment.js';

export interface FilmOptions extends SourcePolicy, CopyLimits {
  /** Replaces the system's resolver. */
  resolveHost?: ResolveHost;
}

/**
 * Fetches a film that is published in segments: those of a whole list, one after the other in one private file. Throws
 * SOURCE_REFUSED for a live stream and for films in parts that do not join.
 */
export async function fetchSegments(
  options: FilmOptions,
  connect: (options: SegmentClientOptions) => SegmentClient,
): Promise<FetchedSource> {
  const { signal, timeoutSeconds } = options;
  const deadline = Date.now() + timeoutSeconds * 1000;
  const client = connect({ ...options, isLive: false });
  try {
    const playlist = await client.open();
    checkFilm(playlist);
    return await copyToPrivateFile(filmBytes(client, playlist.segments, signal), options, deadline);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof LostSegment) throw new AditError('SOURCE_UNAVAILABLE', error.message, { cause: error });
    throw error;
  } finally {
    client.close();
  }
}

function checkFilm({ hasEnded, segments }: MediaPlaylist): void {
  if (!hasEnded) {
    throw new AditError('SOURCE_REFUSED', 'The playlist has no end: it is that of a live stream, not of a film.');
  }
  const [first] = segments;
  if (first === undefined) throw notOneFilm('lists no segments');
  if (segments.some(({ isGap }) => isGap)) throw notOneFilm('has gaps');
  // A file of MP4 has one initialisation section and one clock.
  if (segments.some(({ map }) => !isSameResource(map, first.map)))
    throw notOneFilm('changes its initialisation section');
  if (first.map !== null && segments.some(({ isDiscontinuous }, at) => at > 0 && isDiscontinuous)) {
    throw notOneFilm('has discontinuities in MP4');
  }
}

async function* filmBytes(
  client: SegmentClient,
  segments: readonly Segment[],
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const map = segments[0]?.map ?? null;
  if (map !== null) yield await readMap(client, map, signal);
  for (const segment of segments) yield* readSegment(client, segment, signal);
}

function notOneFilm(reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The playlist ${reason}, so that it cannot be mined as one film.`);
}
