import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { AditError, nullIfNoFile, type AudioSpec, type MediaFacts } from '@adit/contracts';
import { BASE_BYTES } from './decode-memory.js';
import { inputAddress, inputGuard } from './ffmpeg-guard.js';
import { runFfmpeg } from './ffmpeg-run.js';
import { probeJson } from './ffprobe.js';
import { DEFAULT_FILM_LIMITS, type FilmLimits } from './film-limits.js';
import { layOut } from './lay-out.js';
import { OutputLines } from './output-lines.js';
import { SoundClock, TELL_TIMES } from './sound-clock.js';
import { chooseAudioStream, ENTRIES, type ProbedStream } from './stream-facts.js';

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
  format: Pick<AudioSpec, 'sampleRate' | 'channels'>;
  /** Where it is to lie; appears whole or not at all. */
  target: string;
  limits?: FilmLimits;
  signal?: AbortSignal;
}

/** Of a sample of one channel. */
export const SAMPLE_BYTES = 4;
/** Of three hours of speech it takes a minute. */
const TIMEOUT_SECONDS = 3600;
const MEMORY_BYTES = 2 ** 30;
/** Bytes that decoding sound takes, however long it is. */
export const AUDIO_MEMORY = 2 * BASE_BYTES;

/**
 * Decodes the default sound of a source to a file. Sample 0 is heard at the source's start: of a film at its first frame, of
 * sound alone at its own first sample, priming and edit lists left out as the container says. Each sample lies where the time of its
 * packet puts it, whatever changes inside the recording; holes are silence. Chunks are cut out of it: a decoder that begins in the
 * middle does not give the same samples (noise that AAC fills in, what Opus predicts, the phase of the resampler). What is damaged
 * behind its beginning ends there. Throws MEDIA_INVALID when there is no sound that can be decoded, LIMIT_EXCEEDED past time,
 * memory, or the longest film.
 */
export async function decodeAudio(request: DecodeAudioRequest): Promise<DecodedAudio> {
  const { path, facts, format, target, limits = DEFAULT_FILM_LIMITS, signal } = request;
  const { sampleRate, channels } = format;
  const { streams = [] } = await probeJson<{ streams?: ProbedStream[] }>(path, ENTRIES, { signal });
  const stream = chooseAudioStream(streams);
  if (stream === undefined) throw new AditError('MEDIA_INVALID', 'It has no sound that can be decoded.');
  const part = `${target}.part`;
  const frameBytes = channels * SAMPLE_BYTES;
  const clock = new SoundClock(sampleRate, { start: startOf(facts, sampleRate), isOgg: isOgg(facts), limits });
  const times = new OutputLines((line) => clock.add(line));
  try {
    const reason = await runFfmpeg({
      path,
      address: inputAddress(path),
      inputOptions: ['-nostdin', '-loglevel', 'error', '-copyts', '-vn', '-sn', '-dn', ...inputGuard()],
      filterGraph: graphOf(stream.index, format),
      outputs: [{ target: part, options: ['-map', '[o0]', '-c:a', 'pcm_f32le', '-f', 'f32le'] }],
      globalOptions: [],
      signal,
      timeoutSeconds: TIMEOUT_SECONDS,
      memoryBytes: MEMORY_BYTES,
      fileBytes: (limits.maxFilmSeconds + 60) * sampleRate * frameBytes,
      onOutput: (piece) => times.add(piece),
    });
    times.end();
    const size = (await stat(part).catch(nullIfNoFile))?.size ?? 0;
    if (size === 0 && reason !== null) throw new AditError('MEDIA_INVALID', `Its sound cannot be decoded: ${reason}.`);
    const pieces = clock.pieces(Math.floor(size / frameBytes));
    return decodedAudio(target, format, await layOut(part, pieces, frameBytes, target));
  } finally {
    await rm(part, { force: true });
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

function graphOf(stream: number, { sampleRate, channels }: DecodeAudioRequest['format']): string {
  const layout = channels === 1 ? 'mono' : 'stereo';
  return (
    `[0:${stream}]aresample=${sampleRate}:rematrix_maxval=1,` +
    `aformat=sample_fmts=flt:channel_layouts=${layout},${TELL_TIMES}[o0]`
  );
}

/** Of a film its first frame. */
function startOf(facts: MediaFacts, sampleRate: number): number | null {
  return facts.kind === 'video' ? (facts.startPts * facts.timeBase.num * sampleRate) / facts.timeBase.den : null;
}

function isOgg(facts: MediaFacts): boolean {
  return facts.kind === 'audio' && facts.container === 'ogg';
}

/** Decoded sound from its start, piece by piece, channels interleaved. */
export async function* audioPieces({ path }: DecodedAudio): AsyncGenerator<Float32Array> {
  const pieces: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1 << 18 });
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const samples = new Float32Array(Math.floor(bytes.length / SAMPLE_BYTES));
    for (let i = 0; i < samples.length; i++) samples[i] = bytes.readFloatLE(i * SAMPLE_BYTES);
    rest = bytes.subarray(samples.length * SAMPLE_BYTES);
    yield samples;
  }
}
