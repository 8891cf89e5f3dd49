import { rm } from 'node:fs/promises';
import { AditError } from '@adit/contracts';
import { AddressRefused, type ResolveHost } from '@adit/net';
import { createLogger } from '@adit/runtime';
import { openPart } from '../../fetch/join-film.js';
import { copyToPrivateFile, tooLarge, type CopyLimits, type FetchedSource } from '../../fetch/private-file.js';
import type { SourcePolicy } from '../../fetch/source-uri.js';
import type { RunTimes } from '../sound-distance.js';
import { chooseSound, type SoundOffer } from './choose-sound.js';
import { limitsUntil, openSound, withSound, type FetchedSound } from './film-sound.js';
import { isSameResource, type MediaPlaylist, type Segment } from './media-playlist.js';
import type { SegmentClient, SegmentClientOptions } from './segment-client.js';
import { LostSegment, readMap, readSegment } from './read-segment.js';

export interface FilmOptions extends SourcePolicy, CopyLimits {
  /** Replaces the system's resolver. */
  resolveHost?: ResolveHost;
}

const log = createLogger('fetch');

/** Tracks of sound that are fetched with a film at most: the default one, and the first others. */
const MAX_SOUNDS = 8;

/**
 * Fetches a film that is published in segments: those of a whole list, one after the other in one private file. Sound
 * that has lists of its own is put to it; what of that cannot be read is left out, unless it is the default sound of a
 * film without any other. Throws SOURCE_REFUSED for a live stream and for films in parts that do not join.
 */
export async function fetchSegments(
  options: FilmOptions,
  connect: (options: SegmentClientOptions) => SegmentClient,
): Promise<FetchedSource> {
  const { signal } = options;
  const client = connect({ ...options, isLive: false });
  try {
    return await new FilmDownload(options).fetch(client);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof LostSegment) throw new AditError('SOURCE_UNAVAILABLE', error.message, { cause: error });
    throw error;
  } finally {
    client.close();
  }
}

/** A list of segments in one file. */
interface FetchedList extends Omit<RunTimes, 'start'> {
  file: FetchedSource;
  /** As its list states them. */
  seconds: number;
}

/** What is fetched for one film, within the limits for all of it. */
class FilmDownload {
  private readonly deadline: number;
  private bytes = 0;

  constructor(private readonly options: FilmOptions) {
    this.deadline = Date.now() + options.timeoutSeconds * 1000;
  }

  async fetch(client: SegmentClient): Promise<FetchedSource> {
    const pictures = await this.list(client, 'playlist');
    const sounds: FetchedSound[] = [];
    try {
      await this.fetchSounds(client, pictures, sounds);
      if (sounds.length === 0) return pictures.file;
      const film = await withSound({ ...pictures, path: pictures.file.path }, sounds, this.options, this.deadline);
      await rm(pictures.file.path, { force: true });
      return film;
    } catch (error) {
      await rm(pictures.file.path, { force: true });
      throw error;
    } finally {
      for (const { path } of sounds) await rm(path, { force: true });
    }
  }

  /** @param sounds - gets what was fetched */
  private async fetchSounds(client: SegmentClient, pictures: FetchedList, sounds: FetchedSound[]): Promise<void> {
    const offers = client.sounds();
    const first = chooseSound(offers, undefined);
    const order = [...offers.entries()].sort(([, a], [, b]) => Number(b === first) - Number(a === first));
    let tried = 0;
    for (const [at, offer] of order) {
      const own = tried < MAX_SOUNDS ? client.separateSound(String(at)) : null;
      if (own === null) continue;
      tried++;
      try {
        sounds.push(await this.sound(own, offer, pictures.seconds));
      } catch (error) {
        this.options.signal?.throwIfAborted();
        if (!isBroken(error) || (offer === first && !(await this.isHeard(pictures)))) throw error;
        log.warn({ err: error }, 'sound of a film cannot be read and is left out');
      }
    }
  }

  private async sound(client: SegmentClient, offer: SoundOffer, most: number): Promise<FetchedSound> {
    const { file, ...times } = await this.list(client, 'playlist of its sound', most).finally(() => client.close());
    const { path } = file;
    try {
      return { ...offer, ...times, path, part: await openSound(path, limitsUntil(this.deadline, this.options)) };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** Whether pictures have sound of their own. */
  private async isHeard({ file }: FetchedList): Promise<boolean> {
    const { found } = await openPart(file.path, limitsUntil(this.deadline, this.options));
    return found.audio !== undefined;
  }

  /** @param most - seconds from which on segments are left out */
  private async list(client: SegmentClient, what: string, most = Infinity): Promise<FetchedList> {
    const playlist = await client.open();
    checkFilm(playlist, what);
    const segments = before(most, playlist.segments);
    const [first] = segments;
    let clockOffset = first?.clockOffset;
    const bytes = filmBytes(client, segments, this.options.signal, (seconds) => (clockOffset = -seconds));
    const file = await copyToPrivateFile(this.counted(bytes), this.options, this.deadline);
    const seconds = segments.reduce((sum, each) => sum + each.seconds, 0);
    return { file, seconds, statedTime: first?.statedTime ?? null, clockOffset };
  }

  private async *counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of bytes) {
      this.bytes += chunk.length;
      if (this.bytes > this.options.maxBytes) throw tooLarge(this.options.maxBytes);
      yield chunk;
    }
  }
}

/** Whether an error says that sound cannot be read, rather than that it must not be, or that a limit is reached. */
function isBroken(error: unknown): boolean {
  if (error instanceof LostSegment) return true;
  if (!(error instanceof AditError) || error instanceof AddressRefused) return false;
  return ['SOURCE_REFUSED', 'SOURCE_UNAVAILABLE', 'MEDIA_INVALID'].includes(error.code);
}

/** The segments that begin before a time; at least the first. */
function before(seconds: number, segments: readonly Segment[]): readonly Segment[] {
  let start = 0;
  const end = segments.findIndex((each, at) => {
    const isLate = at > 0 && start >= seconds;
    start += each.seconds;
    return isLate;
  });
  return end < 0 ? segments : segments.slice(0, end);
}

function checkFilm({ hasEnded, segments }: MediaPlaylist, what: string): void {
  if (!hasEnded) {
    throw new AditError('SOURCE_REFUSED', `The ${what} has no end: it is that of a live stream, not of a film.`);
  }
  const [first] = segments;
  if (first === undefined) throw notOneFilm(what, 'lists no segments');
  if (segments.some(({ isGap }) => isGap)) throw notOneFilm(what, 'has gaps');
  // A file of MP4 has one initialisation section and one clock.
  if (segments.some(({ map }) => !isSameResource(map, first.map)))
    throw notOneFilm(what, 'changes its initialisation section');
  if (first.map !== null && segments.some(({ isDiscontinuous }, at) => at > 0 && isDiscontinuous)) {
    throw notOneFilm(what, 'has discontinuities in MP4');
  }
}

/** @param onTime - told the time that the first segment of packed audio states */
async function* filmBytes(
  client: SegmentClient,
  segments: readonly Segment[],
  signal: AbortSignal | undefined,
  onTime: (seconds: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const map = segments[0]?.map ?? null;
  if (map !== null) yield await readMap(client, map, signal);
  for (const [at, segment] of segments.entries()) {
    yield* readSegment(client, segment, signal, at === 0 ? onTime : undefined);
  }
}

function notOneFilm(what: string, reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The ${what} ${reason}, so that it cannot be mined as one film.`);
}
