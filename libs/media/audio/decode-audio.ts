import { rename, rm, stat } from 'node:fs/promises';
import { AditError, nullIfNoFile, type AudioSpec, type MediaFacts } from '@adit/contracts';
import { BASE_BYTES } from '../decode-memory.js';
import { decodeTrack } from './decode-track.js';
import { probeJson } from '../ffmpeg/ffprobe.js';
import { DEFAULT_FILM_LIMITS, type FilmLimits } from '../film-limits.js';
import { mixTracks } from './mix-tracks.js';
import { loudest, SAMPLE_BYTES, samplesOf } from './sound-level.js';
import { chooseTracks } from './sound-track.js';
import { ENTRIES, type ProbedStream } from '../ffmpeg/stream-facts.js';

/** All the sound of a source in one format: float32, little-endian, interleaved, from the source's start. */
export interface DecodedAudio {
  path: string;
  sampleRate: number;
  channels: number;
  /** Of each channel. */
  samples: number;
}

export interface DecodeAudioRequest {
  /** Private file. */
  path: string;
  facts: MediaFacts;
  format: Pick<AudioSpec, 'sampleRate' | 'channels' | 'track'>;
  /** Where it is to lie; appears whole or not at all. */
  target: string;
  limits?: FilmLimits;
  signal?: AbortSignal;
}

/** Bytes that decoding sound takes, however long it is. */
export const AUDIO_MEMORY = 2 * BASE_BYTES;
/** Root mean squares of the loudest second: a track that somebody plugged in, and how much louder than a quieter one another has to be. */
const PLUGGED_IN = 10 ** (-55 / 20);
const LOUDER = 10;

/**
 * Decodes the sound of a source to a file: the track that the format names, else the first that is not silent. Sample 0 is heard at
 * the source's start: of a film at its first frame, of sound alone at its own first sample, priming and edit lists left out as the
 * container says. Each sample lies where the time of its packet puts it, whatever changes inside the recording; holes are silence.
 * Chunks are cut out of it: a decoder that begins in the middle does not give the same samples (noise that AAC fills in, what Opus
 * predicts, the phase of the resampler). What is damaged behind its beginning ends there. Throws MEDIA_INVALID when there is no such
 * sound that can be decoded, LIMIT_EXCEEDED past time, memory, or the longest film.
 */
export async function decodeAudio(request: DecodeAudioRequest): Promise<DecodedAudio> {
  const { path, facts, format, target, limits = DEFAULT_FILM_LIMITS, signal } = request;
  const { sampleRate, channels, track } = format;
  const { streams = [] } = await probeJson<{ streams?: ProbedStream[] }>(path, ENTRIES, { signal });
  const tracks = chooseTracks(streams, track);
  const decode = (stream: ProbedStream, file: string): Promise<number> =>
    decodeTrack({ path, facts, stream, sampleRate, channels, target: file, limits, signal });
  const [first] = tracks;
  if (first !== undefined && tracks.length === 1) return decodedAudio(target, format, await decode(first, target));
  const files = tracks.map((stream, i) => ({ stream, file: `${target}.track-${i}` }));
  try {
    if (track === 'all') {
      for (const { stream, file } of files) await decode(stream, file);
      return decodedAudio(
        target,
        format,
        await mixTracks(
          files.map(({ file }) => file),
          target,
        ),
      );
    }
    let heard: { file: string; bytes: number; level: number } | null = null;
    for (const { stream, file } of files) {
      const bytes = await decode(stream, file);
      const level = await loudest(file, sampleRate * channels, PLUGGED_IN);
      if (heard === null || level > LOUDER * heard.level) heard = { file, bytes, level };
      if (heard.level >= PLUGGED_IN) break;
    }
    if (heard === null) throw new AditError('MEDIA_INVALID', 'It has no sound that can be decoded.');
    await rename(heard.file, target);
    return decodedAudio(target, format, heard.bytes);
  } finally {
    for (const { file } of files) await rm(file, { force: true });
  }
}

/** What an earlier call has left at `target`; null when there is nothing. */
export async function storedAudio(target: string, format: DecodeAudioRequest['format']): Promise<DecodedAudio | null> {
  const found = await stat(target).catch(nullIfNoFile);
  return found === null ? null : decodedAudio(target, format, found.size);
}

function decodedAudio(path: string, format: DecodeAudioRequest['format'], size: number): DecodedAudio {
  const { sampleRate, channels } = format;
  return { path, sampleRate, channels, samples: Math.floor(size / (channels * SAMPLE_BYTES)) };
}

/** Decoded sound from its start, piece by piece, channels interleaved. */
export function audioPieces({ path }: DecodedAudio): AsyncGenerator<Float32Array> {
  return samplesOf(path);
}
