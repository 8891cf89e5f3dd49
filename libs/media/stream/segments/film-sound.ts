import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { joinFilm, openPart, type FilmPart, type JoinLimits, type SoundPart } from '../../fetch/join-film.js';
import { copyToPrivateFile, type CopyLimits, type FetchedSource } from '../../fetch/private-file.js';
import { parseRational } from '../../ffmpeg/stream-facts.js';
import { DEFAULT_FILM_LIMITS, frameCheck } from '../../film-limits.js';
import { listPackets } from '../../video/index-frames.js';
import { filmDistance, type RunTimes } from '../sound-distance.js';
import type { SoundOffer } from './choose-sound.js';

/** A file of media, and what its list of segments says of its times. */
type TimedFile = Omit<RunTimes, 'start'> & { path: string };

export interface FetchedSound extends TimedFile, SoundOffer {
  part: FilmPart;
}

/** Limits of the next step of work that has a deadline. */
export function limitsUntil(deadline: number, options: CopyLimits, folder = options.directory): JoinLimits {
  return { ...options, folder, timeoutSeconds: Math.max((deadline - Date.now()) / 1000, 1) };
}

/** Reads a file of sound. Throws MEDIA_INVALID where it is none that can be decoded. */
export async function openSound(path: string, limits: JoinLimits): Promise<FilmPart> {
  const part = await openPart(path, limits);
  if (part.found.audio !== undefined) return part;
  throw new AditError('MEDIA_INVALID', 'What should be the sound of the film is none that can be decoded.');
}

/** Joins pictures and sound that were fetched apart, in step, to one private file. Throws as `joinFilm`. */
export async function withSound(
  pictures: TimedFile,
  sounds: readonly FetchedSound[],
  options: CopyLimits,
  deadline: number,
): Promise<FetchedSource> {
  const folder = await mkdtemp(join(options.directory, 'joined-'));
  const limits = (): JoinLimits => limitsUntil(deadline, options, folder);
  try {
    const film = await openPart(pictures.path, limits());
    const { video } = film.found;
    if (video === undefined) throw new AditError('MEDIA_INVALID', 'The film has no pictures that can be decoded.');
    await checkClock(film, limits());
    const times = { ...pictures, start: startOf(video) };
    const parts = sounds.map((sound) => soundPart(sound, times));
    const joined = await joinFilm({ ...film, shift: -times.start }, parts, limits());
    return await copyToPrivateFile(createReadStream(joined), options, deadline);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function soundPart(sound: FetchedSound, pictures: RunTimes): SoundPart {
  const { part } = sound;
  const { audio, format } = part.found;
  const start = startOf(audio ?? {});
  const isTimed = sound.clockOffset !== undefined || !UNTIMED.has(format.format_name ?? '');
  // Where nothing tells it, both lists begin at once.
  const distance = isTimed ? filmDistance({ ...sound, start }, pictures) : 0;
  const { language, isDefault } = sound;
  return { ...part, shift: distance - start, language, isDefault };
}

/** Demuxers of sound without a container, which has times in its ID3 tags alone. */
const UNTIMED = new Set(['aac', 'mp3', 'ac3', 'eac3']);

function startOf({ start_time: seconds }: { start_time?: string }): number {
  return Number(seconds ?? 0) || 0;
}

/** Throws MEDIA_INVALID where the clock of a transport stream begins anew: in the joined file nobody would notice. */
async function checkClock(
  { path, containers, found }: FilmPart,
  { signal, timeoutSeconds, folder }: JoinLimits,
): Promise<void> {
  const { video, format, probeStep } = found;
  const timeBase = parseRational(video?.time_base);
  if (video === undefined || timeBase === null || format.format_name !== 'mpegts') return;
  const limits = DEFAULT_FILM_LIMITS;
  const stream = {
    ...{ index: video.index, timeBase, container: 'mpegts', codec: video.codec_name ?? '', limits },
    checkCount: frameCheck((await stat(path)).size, limits),
    decoding: <T>(work: () => Promise<T>): Promise<T> => work(),
  };
  const undecoded = new Promise<never>(() => undefined);
  await listPackets(path, stream, undecoded, { containers, signal, timeoutSeconds, probeStep, directory: folder });
}
