import { open, type FileHandle } from 'node:fs/promises';
import { AditError, type AudioInterval, type AudioSpec } from '@adit/contracts';
import { packAudio, type AudioPlace } from './audio-pack.js';
import type { DecodedAudio } from './decode-audio.js';
import { SAMPLE_BYTES } from './sound-level.js';

/** Range of samples of each channel, the end exclusive. */
interface SampleRange {
  start: number;
  end: number;
}

/**
 * Returns the pack of one chunk: its own samples and the spec's overlap as far as there is sound; or the spec's
 * excerpts of the whole, concatenated and counted from 0.
 */
export async function cutAudio(audio: DecodedAudio, interval: AudioInterval, spec: AudioSpec): Promise<Buffer> {
  const { sampleRate, channels } = audio;
  const file = await open(audio.path);
  try {
    if (spec.excerpts !== undefined) {
      const pieces: Buffer[] = [];
      for (const part of excerptsOf(audio, spec.excerpts)) pieces.push(await read(file, audio, part));
      const samples = Buffer.concat(pieces);
      const end = samples.length / (channels * SAMPLE_BYTES);
      return packAudio({ sampleRate, channels, start: 0, end, ownStart: 0, ownEnd: end }, samples);
    }
    const place = placeOf(audio, interval, spec);
    return packAudio(place, await read(file, audio, place));
  } finally {
    await file.close();
  }
}

/** Bytes of memory needed to cut a chunk of that length. */
export function audioPackMemory({ startMs, endMs }: AudioInterval, spec: AudioSpec): number {
  const { excerpts, overlapSeconds } = spec;
  const seconds = excerpts ? excerpts.count * excerpts.seconds : (endMs - startMs) / 1000 + 2 * overlapSeconds;
  return 2 * Math.ceil(seconds * spec.sampleRate) * spec.channels * SAMPLE_BYTES;
}

function placeOf(
  { sampleRate, channels, samples }: DecodedAudio,
  { startMs, endMs }: AudioInterval,
  { overlapSeconds }: AudioSpec,
): AudioPlace {
  const within = (position: number): number => Math.min(Math.max(position, 0), samples);
  const at = (ms: number): number => within(Math.round((ms * sampleRate) / 1000));
  const overlap = Math.round(overlapSeconds * sampleRate);
  const [ownStart, ownEnd] = [at(startMs), at(endMs)];
  return { sampleRate, channels, start: within(ownStart - overlap), end: within(ownEnd + overlap), ownStart, ownEnd };
}

/** Places each excerpt in the middle of its part of the whole. */
function excerptsOf(
  { sampleRate, samples }: DecodedAudio,
  { count, seconds }: NonNullable<AudioSpec['excerpts']>,
): SampleRange[] {
  const length = seconds * sampleRate;
  if (samples <= count * length) return [{ start: 0, end: samples }];
  return Array.from({ length: count }, (_, i) => {
    const start = Math.floor(((i + 0.5) * samples) / count - length / 2);
    return { start, end: start + length };
  });
}

async function read(file: FileHandle, { channels }: DecodedAudio, { start, end }: SampleRange): Promise<Buffer> {
  const bytes = Buffer.alloc((end - start) * channels * SAMPLE_BYTES);
  for (let done = 0; done < bytes.length;) {
    const position = start * channels * SAMPLE_BYTES + done;
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position);
    if (bytesRead === 0) throw new AditError('INTERNAL', 'Decoded sound is shorter than it was.');
    done += bytesRead;
  }
  return bytes;
}
