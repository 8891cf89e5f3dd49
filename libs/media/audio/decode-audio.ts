import { rename, rm, stat } from 'node:fs/promises';
import { AditError, nullIfNoFile, type AudioSpec, type MediaFacts } from '@adit/contracts';
import { BASE_BYTES } from '../decode-memory.js';
import { decodeTrack } from './decode-track.js';
import { probeJson } from '../ffmpeg/ffprobe.js';
import { DEFAULT_FILM_LIMITS, type FilmLimits } from '../film-limits.js';
import { mixTracks } from './mix-tracks.js';
import { loudest, SAMPLE_BYTES, samplesOf } from './sound-level.js';
import { chooseTracks } from './sound-track.js';
import { containersOf } from '../sandbox/ffmpeg-guard.js';
import { ENTRIES, type ProbedStream } from '../ffmpeg/stream-facts.js';

/** Complete sound of a source in one format: float32, little-endian, interleaved, from the source's start. */
export interface DecodedAudio {
  path: string;
  sampleRate: number;
  channels: number;
  /** Samples per channel. */
  samples: number;
}

export interface DecodeAudioRequest {
  /** Private file. */
  path: string;
  facts: MediaFacts;
  format: Pick<AudioSpec, 'sampleRate' | 'channels' | 'track'>;
  /** Path of the output file, which appears complete or not at all. */
  target: string;
  limits?: FilmLimits;
  signal?: AbortSignal;
}

/** Bytes of memory that decoding sound takes, however long it is. */
export const AUDIO_MEMORY = 2 * BASE_BYTES;
/**
 * RMS thresholds for the loudest second: above which a track counts as connected, and by how much another has to be
 * louder than a quieter one.
 */
const PLUGGED_IN = 10 ** (-55 / 20);
const LOUDER = 10;

/**
 * Decodes the sound of a source to a file: the track that the format names, else the first that is not silent. Sample 0
 * is played at the source's start: a film's first frame, or the first sample of sound alone, without priming and edits
 * as the container states.
 *
 * Each sample is placed by the time of its packet, even when the format changes within the recording; gaps are silence.
 * Chunks are cut from this file because a decoder that starts in the middle yields other samples (AAC noise
 * substitution, Opus prediction, resampler phase). Sound that is damaged after its beginning ends there.
 *
 * Throws MEDIA_INVALID when no such track can be decoded, LIMIT_EXCEEDED past the limits on time, memory or film
 * length.
 */
export async function decodeAudio(request: DecodeAudioRequest): Promise<DecodedAudio> {
  const { path, facts, format, target, limits = DEFAULT_FILM_LIMITS, signal } = request;
  const { sampleRate, channels, track } = format;
  const { streams = [] } = await probeJson<{ streams?: ProbedStream[] }>(path, ENTRIES, {
    containers: containersOf(facts),
    signal,
  });
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
    let chosen: { file: string; bytes: number; level: number } | null = null;
    for (const { stream, file } of files) {
      const bytes = await decode(stream, file);
      const level = await loudest(file, sampleRate * channels, PLUGGED_IN);
      if (chosen === null || level > LOUDER * chosen.level) chosen = { file, bytes, level };
      if (chosen.level >= PLUGGED_IN) break;
    }
    if (chosen === null) throw new AditError('MEDIA_INVALID', 'It has no sound that can be decoded.');
    await rename(chosen.file, target);
    return decodedAudio(target, format, chosen.bytes);
  } finally {
    for (const { file } of files) await rm(file, { force: true });
  }
}

/** Returns the sound that an earlier call left at `target`; null when there is none. */
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
