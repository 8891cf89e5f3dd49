import { createReadStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { AditError, nullIfNoFile, type MediaFacts } from '@adit/contracts';
import { containersOf, type FilePart } from '../sandbox/ffmpeg-guard.js';
import { runFfmpeg } from '../ffmpeg/ffmpeg-run.js';
import type { FilmLimits } from '../film-limits.js';
import { layOut } from './lay-out.js';
import { oggChain } from './ogg-links.js';
import { OutputLines } from '../ffmpeg/output-lines.js';
import { SoundClock, TELL_TIMES } from './sound-clock.js';
import { meanPower, SAMPLE_BYTES } from './sound-level.js';
import { isPair, mixed, SIDE, type Mix } from './sound-track.js';
import type { ProbedStream } from '../ffmpeg/stream-facts.js';

export interface TrackRequest {
  /** Private file. */
  path: string;
  facts: MediaFacts;
  stream: ProbedStream;
  sampleRate: number;
  channels: 1 | 2;
  /** Path of the output file, which appears complete or not at all. */
  target: string;
  limits: FilmLimits;
  signal?: AbortSignal;
}

/** Decoding three hours of speech takes a minute. */
const TIMEOUT_SECONDS = 3600;
const MEMORY_BYTES = 2 ** 30;
/** Each part is one run of ffmpeg; the titles of a radio stream change the format now and then. */
const MAX_PARTS = 500;
/** Power ratio of two channels' difference to their sum above which one is wired with inverted polarity. */
const INVERTED = 4;

/**
 * Decodes one track to a file of float32, interleaved, placed by the times of its packets. A pair of channels that
 * cancel each other out is mixed with one of them inverted. Returns the bytes of the file.
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

/** Output files: the decoded sound, and the difference of the channels where requested. */
interface Outputs {
  part: string;
  side: string | null;
}

/** Decodes to `part`, and the channels' difference to `side`; returns the clock of the samples. */
async function decodedPart(request: TrackRequest, part: string, mix: Mix, side: string | null): Promise<SoundClock> {
  const { path, facts, sampleRate, limits, signal } = request;
  const clock = new SoundClock(sampleRate, { start: startOf(facts, sampleRate), isOgg: isOgg(facts), limits });
  const parts = isOgg(facts) ? ((await oggChain(path, signal))?.parts ?? []) : [];
  if (parts.length > MAX_PARTS) {
    throw new AditError('MEDIA_INVALID', `Its sound changes its format more than ${MAX_PARTS - 1} times.`);
  }
  const [first, ...others] = parts.length > 1 ? parts : [null];
  let reason = await decodeOnce(request, { mix, clock, outputs: { part, side }, from: first ?? null });
  const next = { part: `${part}.next`, side: side && `${side}.next` };
  try {
    for (const from of others) {
      if (reason !== null) break;
      clock.join();
      reason = await decodeOnce(request, { mix, clock, outputs: next, from, before: await sizeOf(part) });
      await append(next.part, part);
      if (side !== null && next.side !== null) await append(next.side, side);
    }
  } finally {
    for (const file of [next.part, next.side]) if (file !== null) await rm(file, { force: true });
  }
  if (reason !== null && (await sizeOf(part)) === 0) {
    throw new AditError('MEDIA_INVALID', `Its sound cannot be decoded: ${reason}.`);
  }
  return clock;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(nullIfNoFile))?.size ?? 0;
}

/** Appends the content of `path` to `target`. */
async function append(path: string, target: string): Promise<void> {
  if ((await sizeOf(path)) === 0) return;
  if ((await sizeOf(target)) === 0) return rename(path, target);
  await writeFile(target, createReadStream(path), { flag: 'a' });
  await rm(path);
}

interface Run {
  mix: Mix;
  clock: SoundClock;
  outputs: Outputs;
  /** Null: the whole file. */
  from: FilePart | null;
  /** Bytes decoded before this run. */
  before?: number;
}

/** Runs ffmpeg once. Returns the reason of a failure, or null. */
async function decodeOnce(request: TrackRequest, run: Run): Promise<string | null> {
  const { path, facts, stream, sampleRate, channels, limits, signal } = request;
  const { mix, clock, outputs, from, before = 0 } = run;
  const times = new OutputLines((line) => clock.add(line));
  const layout = channels === 1 ? 'mono' : 'stereo';
  const main =
    `${mixed(stream, mix, channels)}aresample=${sampleRate}:rematrix_maxval=1,` +
    `aformat=sample_fmts=flt:channel_layouts=${layout},${TELL_TIMES}[o0]`;
  const input = `[0:${stream.index}]`;
  const bare = ['-c:a', 'pcm_f32le', '-f', 'f32le'];
  const most = (limits.maxFilmSeconds + 60) * sampleRate * channels * SAMPLE_BYTES;
  const reason = await runFfmpeg({
    path,
    containers: containersOf(facts),
    part: from ?? undefined,
    inputOptions: ['-copyts', '-vn', '-sn', '-dn'],
    filterGraph: outputs.side === null ? input + main : `${input}asplit[a][b];[a]${main};[b]${SIDE}[o1]`,
    outputs: [
      { target: outputs.part, options: ['-map', '[o0]', ...bare] },
      ...(outputs.side === null ? [] : [{ target: outputs.side, options: ['-map', '[o1]', ...bare] }]),
    ],
    globalOptions: ['-y'],
    signal,
    timeoutSeconds: TIMEOUT_SECONDS,
    memoryBytes: MEMORY_BYTES,
    fileBytes: Math.max(most - before, 1),
    onOutput: (piece) => times.add(piece),
  });
  times.end();
  return reason;
}

/** Start of the source in samples: a film's first frame. */
function startOf(facts: MediaFacts, sampleRate: number): number | null {
  return facts.kind === 'video' ? (facts.startPts * facts.timeBase.num * sampleRate) / facts.timeBase.den : null;
}

function isOgg(facts: MediaFacts): boolean {
  return facts.kind === 'audio' && facts.container === 'ogg';
}
