import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AditError,
  elementAt,
  nullIfNoFile,
  type FrameInterval,
  type FrameSpec,
  type VideoFacts,
} from '@adit/contracts';
import { bestAttempt, type Landing } from './best-attempt.js';
import { chunkStarts, writePiece, type ChunkStart } from './chunk-start.js';
import { FRAME_HASHES, readHashes } from './counted-frames.js';
import { filterGraph, graphTime, GRAPH_TICKS, latestTime, type GraphOutput } from './decode-graph.js';
import { ffmpegInfo } from '../ffmpeg/ffmpeg-binary.js';
import { containersOf, DEFAULT_MEMORY_BYTES } from '../sandbox/ffmpeg-guard.js';
import { runFfmpeg } from '../ffmpeg/ffmpeg-run.js';
import type { FrameIndex } from './frame-index.js';

interface DecodeLimits {
  /** Wall time of one chunk in seconds; default 600. */
  timeoutSeconds?: number;
  /** Private memory of ffmpeg in bytes; default 4 GiB. */
  memoryBytes?: number | null;
  /** Largest stored frame in pixels. */
  maxPixels?: number;
  /** Folder for the pictures of one chunk; default the system's. */
  directory?: string;
}

export interface DecodeIntervalRequest {
  /** Private file. */
  path: string;
  facts: VideoFacts;
  index: FrameIndex;
  interval: FrameInterval;
  specs: readonly FrameSpec[];
  signal?: AbortSignal;
  limits?: DecodeLimits;
}

/** Files of the decoded frames, by picture size. */
type Pictures = Map<string, Map<number, string>>;
/**
 * Pixels of a picture above which a second thread decodes a chunk faster. Below (measured up to 854 × 480, two cores)
 * one thread takes as long, and a sixth less CPU time.
 */
const THREADED_PIXELS = 500_000;
/** File in which a run notes its first decoded picture. */
const LANDING = 'landing';

/** Returns the name of a picture size. */
export function sizeKey({ width, height }: { width: number; height: number }): string {
  return `${width}x${height}`;
}

/**
 * Decodes the wanted frames of a chunk to JPEG files below `directory`. Throws MEDIA_INVALID when ffmpeg fails without
 * any picture, LIMIT_EXCEEDED past the limits on time or memory.
 */
export async function decodePictures(
  given: DecodeIntervalRequest,
  outputs: readonly GraphOutput[],
  directory: string,
): Promise<Pictures> {
  const request = given.index.hints.timing === 'counted' ? onCountedClock(given) : given;
  const { facts, index, interval } = request;
  const first = Math.min(...outputs.map((output) => elementAt(output.frames, 0)));
  const best = await bestAttempt(
    chunkStarts(facts, index, interval, first),
    latestTime(index, interval.ptsStart, first),
    async (start, attempt) => {
      const folder = join(directory, String(attempt));
      const reason = await decodeOnce(request, outputs, start, folder);
      const landing = await landingOf(folder, start);
      const pictures: Pictures = new Map();
      let count = 0;
      for (const [i, output] of outputs.entries()) {
        const found = await picturesIn(join(folder, String(i)), request);
        count += found.size;
        pictures.set(sizeKey(output), found);
      }
      return { pictures, count, reason, landing };
    },
    request.signal,
  );
  if (best === undefined || (best.count === 0 && best.reason !== null)) {
    throw new AditError(
      'MEDIA_INVALID',
      `Frames ${interval.frameStart} to ${interval.frameEnd - 1} cannot be decoded: ${best?.reason}.`,
    );
  }
  return best.pictures;
}

/** The pictures of such a film have no times of their own, so that the graph tells them by their numbers. */
function onCountedClock(request: DecodeIntervalRequest): DecodeIntervalRequest {
  const { frameStart, frameEnd } = request.interval;
  return {
    ...request,
    index: request.index.counted(),
    interval: { ...request.interval, ptsStart: frameStart, ptsEnd: frameEnd, seekPts: frameStart },
  };
}

/**
 * Returns the time of the first decoded picture, in the graph's clock. A counted start that missed its keyframe landed
 * elsewhere, and its pictures have wrong numbers.
 */
async function landingOf(folder: string, start: ChunkStart): Promise<Landing> {
  const { frames, hashes } = await readHashes(
    (await readFile(join(folder, LANDING), 'latin1').catch(nullIfNoFile)) ?? '',
  );
  if (start.kind === 'keyframe' && hashes[0] !== start.table.hashes[start.entry]) return 'elsewhere';
  return frames[0] ?? 'nowhere';
}

async function decodeOnce(
  request: DecodeIntervalRequest,
  outputs: readonly GraphOutput[],
  start: ChunkStart,
  folder: string,
): Promise<string | null> {
  const { facts, index, interval, signal, limits = {} } = request;
  const info = await ffmpegInfo();
  // 0 lets ffmpeg use one thread per core.
  const threads = facts.width * facts.height < THREADED_PIXELS ? '1' : '0';
  await Promise.all(outputs.map((_, i) => mkdir(join(folder, String(i)), { recursive: true })));
  let path = request.path;
  if (start.kind === 'keyframe') {
    path = join(folder, 'piece');
    await writePiece(request.path, path, start);
  }
  const seek =
    start.kind === 'time' ? ['-seek_timestamp', '1', '-noaccurate_seek', '-ss', start.seconds.toFixed(6)] : [];
  const reason = await runFfmpeg({
    path,
    containers: containersOf(facts),
    maxPixels: limits.maxPixels,
    probeStep: index.hints.look,
    inputOptions: ['-copyts', '-threads', threads, ...seek],
    filterGraph: filterGraph({
      facts,
      index,
      basePts: interval.ptsStart,
      outputs,
      filters: info.filters,
      countFrom: start.kind === 'keyframe' ? elementAt(start.table.frames, start.entry) : 0,
    }),
    outputs: filesOf(outputs, folder, info.fpsModeOption),
    globalOptions: ['-filter_complex_threads', threads],
    signal,
    timeoutSeconds: limits.timeoutSeconds ?? 600,
    memoryBytes: limits.memoryBytes === undefined ? DEFAULT_MEMORY_BYTES : limits.memoryBytes,
  });
  if (path !== request.path) await rm(path);
  return reason;
}

/** Returns the files that a run writes with their options: the pictures of each output, and the landing. */
function filesOf(
  outputs: readonly GraphOutput[],
  folder: string,
  fpsModeOption: string,
): { target: string; options: string[] }[] {
  const pictures = outputs.map((_, i) => ({
    target: join(folder, String(i), '%d.jpg'),
    options: [
      '-map',
      `[o${i}]`,
      fpsModeOption,
      'passthrough',
      // The file's name is the frame's time, which proves its identity.
      '-enc_time_base',
      `1:${GRAPH_TICKS}`,
      '-f',
      'image2',
      '-frame_pts',
      '1',
      '-c:v',
      'mjpeg',
      '-q:v',
      '2',
      '-threads',
      '1',
    ],
  }));
  const landing = {
    target: join(folder, LANDING),
    options: ['-map', '[landing]', fpsModeOption, 'passthrough', ...FRAME_HASHES],
  };
  return [...pictures, landing];
}

/** Returns the pictures of a folder by frame number; their names are microseconds from the chunk's first frame. */
async function picturesIn(folder: string, { index, interval }: DecodeIntervalRequest): Promise<Map<number, string>> {
  const { num, den } = index.timeBase;
  const nearestTo = new Map<number, { file: string; distance: number }>();
  for (const name of await readdir(folder)) {
    const time = Number(/^(-?\d+)\.jpg$/.exec(name)?.[1] ?? NaN);
    if (Number.isNaN(time)) continue;
    const frame = index.nearest(interval.ptsStart + (time * den) / (num * GRAPH_TICKS));
    const distance = Math.abs(graphTime(index, interval.ptsStart, index.ptsOf(frame)) - time);
    const other = nearestTo.get(frame);
    if (!other || distance < other.distance) nearestTo.set(frame, { file: join(folder, name), distance });
  }
  return new Map([...nearestTo].map(([frame, { file }]) => [frame, file]));
}
