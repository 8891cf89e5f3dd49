import { rm, stat } from 'node:fs/promises';
import { AditError, nullIfNoFile, type MediaFacts } from '@adit/contracts';
import { inputAddress, inputGuard } from './ffmpeg-guard.js';
import { runFfmpeg } from './ffmpeg-run.js';
import type { FilmLimits } from './film-limits.js';
import { layOut } from './lay-out.js';
import { OutputLines } from './output-lines.js';
import { SoundClock, TELL_TIMES } from './sound-clock.js';
import { meanPower, SAMPLE_BYTES } from './sound-level.js';
import { isPair, mixed, SIDE, type Mix } from './sound-track.js';
import type { ProbedStream } from './stream-facts.js';

export interface TrackRequest {
  /** Private file. */
  path: string;
  facts: MediaFacts;
  stream: ProbedStream;
  sampleRate: number;
  channels: 1 | 2;
  /** Where it is to lie; appears whole or not at all. */
  target: string;
  limits: FilmLimits;
  signal?: AbortSignal;
}

/** Of three hours of speech it takes a minute. */
const TIMEOUT_SECONDS = 3600;
const MEMORY_BYTES = 2 ** 30;
/** The power by which the difference of two channels exceeds their sum where one is wired the wrong way round. */
const INVERTED = 4;

/**
 * Decodes one track to a file of float32, interleaved, laid out by the times of its packets. A pair of channels that cancel each
 * other out is mixed with one of them the other way round. Returns the bytes of the file.
 */
export async function decodeTrack(request: TrackRequest): Promise<number> {
  const { stream, channels, target } = request;
  const part = `${target}.part`;
  const side = channels === 1 && isPair(stream) ? `${target}.side` : null;
  try {
    let clock = await decodedPart(request, part, 'usual', side);
    if (side !== null && (await meanPower(side)) > INVERTED * (await meanPower(part))) {
      clock = await decodedPart(request, part, 'inverted', null);
    }
    const frameBytes = channels * SAMPLE_BYTES;
    const { size } = await stat(part);
    return await layOut(part, clock.pieces(Math.floor(size / frameBytes)), frameBytes, target);
  } finally {
    await rm(part, { force: true });
    if (side !== null) await rm(side, { force: true });
  }
}

/** Decodes to `part`, and what differs between the two channels to `side`; tells when it is heard. */
async function decodedPart(request: TrackRequest, part: string, mix: Mix, side: string | null): Promise<SoundClock> {
  const { path, facts, stream, sampleRate, channels, limits, signal } = request;
  const clock = new SoundClock(sampleRate, { start: startOf(facts, sampleRate), isOgg: isOgg(facts), limits });
  const times = new OutputLines((line) => clock.add(line));
  const layout = channels === 1 ? 'mono' : 'stereo';
  const main =
    `${mixed(stream, mix, channels)}aresample=${sampleRate}:rematrix_maxval=1,` +
    `aformat=sample_fmts=flt:channel_layouts=${layout},${TELL_TIMES}[o0]`;
  const from = `[0:${stream.index}]`;
  const bare = ['-c:a', 'pcm_f32le', '-f', 'f32le'];
  const reason = await runFfmpeg({
    path,
    address: inputAddress(path),
    inputOptions: ['-nostdin', '-loglevel', 'error', '-copyts', '-vn', '-sn', '-dn', ...inputGuard()],
    filterGraph: side === null ? from + main : `${from}asplit[a][b];[a]${main};[b]${SIDE}[o1]`,
    outputs: [
      { target: part, options: ['-map', '[o0]', ...bare] },
      ...(side === null ? [] : [{ target: side, options: ['-map', '[o1]', ...bare] }]),
    ],
    globalOptions: ['-y'],
    signal,
    timeoutSeconds: TIMEOUT_SECONDS,
    memoryBytes: MEMORY_BYTES,
    fileBytes: (limits.maxFilmSeconds + 60) * sampleRate * channels * SAMPLE_BYTES,
    onOutput: (piece) => times.add(piece),
  });
  times.end();
  const size = (await stat(part).catch(nullIfNoFile))?.size ?? 0;
  if (size === 0 && reason !== null) throw new AditError('MEDIA_INVALID', `Its sound cannot be decoded: ${reason}.`);
  return clock;
}

/** Of a film its first frame. */
function startOf(facts: MediaFacts, sampleRate: number): number | null {
  return facts.kind === 'video' ? (facts.startPts * facts.timeBase.num * sampleRate) / facts.timeBase.den : null;
}

function isOgg(facts: MediaFacts): boolean {
  return facts.kind === 'audio' && facts.container === 'ogg';
}
