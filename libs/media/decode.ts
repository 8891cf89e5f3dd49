import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import {
  AditError,
  frameSpecName,
  type FrameInterval,
  type FrameSpec,
  type ImageFacts,
  type PackedFrame,
  type VideoFacts,
} from '@adit/contracts';
import { filterGraph, graphTime, GRAPH_TICKS, type GraphOutput } from './decode-graph.js';
import { ffmpegInfo } from './ffmpeg-binary.js';
import { DEFAULT_MAX_FRAME_PIXELS, inputAddress, inputGuard } from './ffmpeg-guard.js';
import { runFfmpeg } from './ffmpeg-run.js';
import { packFrames } from './frame-pack.js';
import type { FrameIndex } from './frame-index.js';
import { DEFAULT_MAX_PIXELS, decodeImageFile, openPicture, rawPicture, unreadable } from './picture.js';
import { plainJpeg } from './plain-jpeg.js';
import { sampleFrames, type SampledFrame } from './plan.js';

export interface DecodeLimits {
  /** Wall time of one chunk in seconds; default 600. */
  timeoutSeconds?: number;
  /** Private memory of ffmpeg in bytes; default 4 GiB. */
  memoryBytes?: number | null;
  /** Pixels of a stored frame. */
  maxPixels?: number;
  /** Decoding threads; 0 lets ffmpeg choose. */
  threads?: number;
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

/** Displayed size of a spec's pictures: the shorter side scaled down to the spec's, never up. */
export function pictureSize(
  displayed: { width: number; height: number },
  spec: Pick<FrameSpec, 'shorterSide'>,
): { width: number; height: number } {
  const { width, height } = displayed;
  const shorter = Math.min(width, height);
  if (spec.shorterSide === 'native' || spec.shorterSide >= shorter) return { width, height };
  const scale = spec.shorterSide / shorter;
  return { width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) };
}

/**
 * Decodes one chunk in one ffmpeg run to a frame pack for each spec, by the spec's name. Specs that come to the same
 * pictures share one. Where the film is damaged a pack has fewer frames, each under its true number. Throws
 * MEDIA_INVALID when ffmpeg fails without any picture, LIMIT_EXCEEDED past time or memory.
 */
export async function decodeInterval(request: DecodeIntervalRequest): Promise<Map<string, Buffer>> {
  const { facts, index, interval, specs, limits = {} } = request;
  const wanted = specs.map((spec) => ({
    name: frameSpecName(spec),
    size: pictureSize(facts, spec),
    samples: sampleFrames(index, facts, interval, spec.rate),
  }));
  const outputs = outputsOf(wanted);
  const packs = new Map<string, Buffer>();
  if (outputs.length === 0) {
    for (const { name } of wanted) packs.set(name, packFrames([], []));
    return packs;
  }
  const directory = await mkdtemp(join(limits.directory ?? tmpdir(), 'adit-chunk-'));
  try {
    const pictures = await picturesOf(request, outputs, directory);
    const shared = new Map<string, Buffer>();
    for (const { name, size, samples } of wanted) {
      const key = `${sizeKey(size)} ${samples.map((sample) => sample.frame).join()}`;
      let pack = shared.get(key);
      if (!pack) {
        pack = await packOf(samples, size, pictures.get(sizeKey(size)) ?? new Map<number, string>());
        shared.set(key, pack);
      }
      packs.set(name, pack);
    }
    return packs;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Decodes an image to one single-frame pack per spec, by the spec's name: EXIF orientation applied, transparency over
 * white, sRGB in 8 bit. The native picture is the file's own where that is such a JPEG already, else kept at JPEG
 * quality 95 without chroma subsampling. A picture of ordinary size is decoded once, whatever comes of it. Throws
 * MEDIA_INVALID for what is damaged or exceeds `maxPixels`.
 */
export async function decodeImage(request: {
  path: string;
  facts: ImageFacts;
  specs: readonly FrameSpec[];
  limits?: { maxPixels?: number };
}): Promise<Map<string, Buffer>> {
  const { path, facts, specs } = request;
  const sizes = new Map(specs.map((spec) => pictureSize(facts, spec)).map((size) => [sizeKey(size), size]));
  const maxPixels = request.limits?.maxPixels ?? DEFAULT_MAX_PIXELS;
  const isNative = (size: Size) => size.width === facts.width && size.height === facts.height;
  try {
    const own = [...sizes.values()].some(isNative) && facts.format === 'jpeg';
    const plain = own ? await plainJpeg(await readFile(path), facts, { maxPixels, whole: sizes.size > 1 }) : null;
    const open = await opener(path, facts, { maxPixels, times: sizes.size - (plain === null ? 0 : 1) });
    const bySize = new Map(
      await Promise.all(
        [...sizes].map(async ([key, size]): Promise<[string, Buffer]> => {
          const jpeg = isNative(size)
            ? (plain ??
              (await open()
                .jpeg({ ...PACKED, quality: 95, chromaSubsampling: '4:4:4' })
                .toBuffer()))
            : await open()
                .resize({ ...size, fit: 'fill' })
                .jpeg({ ...PACKED, quality: 92 })
                .toBuffer();
          return [key, packFrames([{ frame: 0, pts: 0, time: 0, ...size }], [jpeg])];
        }),
      ),
    );
    return new Map(specs.map((spec) => [frameSpecName(spec), bySize.get(sizeKey(pictureSize(facts, spec))) as Buffer]));
  } catch (error) {
    throw unreadable(error);
  }
}

type Size = { width: number; height: number };

/** A pack lives for seconds: tables made for each picture would save a few per cent of bytes and double the time. */
const PACKED = { optimiseCoding: false } as const;

/** Pixels that are kept in memory to make several pictures of them: 48 MB, above what a phone takes. */
const MAX_SHARED_PIXELS = 16_000_000;

/** A pipeline of the displayed picture for each call; decoded once for all of them where it is small enough. */
async function opener(
  path: string,
  facts: ImageFacts,
  { maxPixels, times }: { maxPixels: number; times: number },
): Promise<() => Sharp> {
  if (times < 2 || facts.width * facts.height > MAX_SHARED_PIXELS) {
    const file = await openPicture(path, maxPixels);
    return () => file.clone();
  }
  const picture = await decodeImageFile(path, { maxPixels });
  return () => rawPicture(picture);
}

type Wanted = { name: string; size: { width: number; height: number }; samples: SampledFrame[] };
/** By picture size, the files of the frames that came out. */
type Pictures = Map<string, Map<number, string>>;

/** One output for each distinct size, with the frames that any of its specs samples. */
function outputsOf(wanted: readonly Wanted[]): GraphOutput[] {
  const bySize = new Map<string, { width: number; height: number; frames: Set<number> }>();
  for (const { size, samples } of wanted) {
    if (samples.length === 0) continue;
    const output = bySize.get(sizeKey(size)) ?? { ...size, frames: new Set<number>() };
    for (const sample of samples) output.frames.add(sample.frame);
    bySize.set(sizeKey(size), output);
  }
  return [...bySize.values()].map((output) => ({ ...output, frames: [...output.frames].sort((a, b) => a - b) }));
}

/**
 * Runs ffmpeg, further back when the first frames did not come out: containers differ in where a seek lands, and a
 * keyframe is not always a place to start from. Whichever run shows most is taken.
 */
async function picturesOf(
  request: DecodeIntervalRequest,
  outputs: readonly GraphOutput[],
  directory: string,
): Promise<Pictures> {
  const first = Math.min(...outputs.map((output) => output.frames[0] as number));
  let best: { pictures: Pictures; count: number; reason: string | null } | undefined;
  for (const [attempt, seek] of seekTimes(request).entries()) {
    const folder = join(directory, String(attempt));
    const reason = await decodeOnce(request, outputs, seek, folder);
    const pictures: Pictures = new Map();
    let count = 0;
    for (const [i, output] of outputs.entries()) {
      const found = await picturesIn(join(folder, String(i)), request);
      count += found.size;
      pictures.set(sizeKey(output), found);
    }
    if (!best || count > best.count) best = { pictures, count, reason };
    if ([...pictures.values()].some((found) => found.has(first))) break;
  }
  if (!best || (best.count === 0 && best.reason !== null)) {
    throw new AditError(
      'MEDIA_INVALID',
      `Frames ${request.interval.frameStart} to ${request.interval.frameEnd - 1} cannot be decoded: ${best?.reason}.`,
    );
  }
  return best.pictures;
}

async function decodeOnce(
  request: DecodeIntervalRequest,
  outputs: readonly GraphOutput[],
  seekSeconds: number | null,
  folder: string,
): Promise<string | null> {
  const { path, facts, index, interval, signal, limits = {} } = request;
  const info = await ffmpegInfo();
  await Promise.all(outputs.map((_, i) => mkdir(join(folder, String(i)), { recursive: true })));
  const seek = seekSeconds === null ? [] : ['-seek_timestamp', '1', '-noaccurate_seek', '-ss', seekSeconds.toFixed(6)];
  return runFfmpeg({
    path,
    address: inputAddress(path),
    inputOptions: [
      '-nostdin',
      '-loglevel',
      'error',
      '-copyts',
      ...inputGuard(limits.maxPixels ?? DEFAULT_MAX_FRAME_PIXELS),
      '-threads',
      String(limits.threads ?? 0),
      ...seek,
    ],
    filterGraph: filterGraph(facts, index, interval.ptsStart, outputs, info.filters),
    outputs: outputs.map((_, i) => ({
      target: join(folder, String(i), '%d.jpg'),
      options: [
        '-map',
        `[o${i}]`,
        info.fpsModeOption,
        'passthrough',
        // The file's name is the frame's time: proof of which frame it is.
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
    })),
    globalOptions: [],
    signal,
    timeoutSeconds: limits.timeoutSeconds ?? 600,
    memoryBytes: limits.memoryBytes === undefined ? 4 * 2 ** 30 : limits.memoryBytes,
  });
}

/** Where to seek to, in seconds of the container's clock, one attempt after the other; null is the beginning. */
function seekTimes({ facts, index, interval }: DecodeIntervalRequest): (number | null)[] {
  const { num, den } = facts.timeBase;
  const { timing } = index.hints;
  let point = index.seekPointFor(interval.seekPts);
  const earliest = index.seekPoints[0];
  // The first times after a seek are guesses there; a second keyframe later they have settled.
  if (timing === 'sparse' && point) point = index.seekPointFor(point.pts - Math.ceil(den / num));
  if (timing === 'counted' || !point || !earliest || point.pts <= earliest.pts) return [null];
  // MP4 and MOV seek by presentation time; the others by decoding time.
  const byPts = /mov|mp4/.test(facts.container);
  const at = byPts ? (point.pts * num) / den + 1e-6 : (Math.min(point.dts, point.pts) * num) / den;
  const first = (earliest.pts * num) / den;
  const times = [at, at - 12].map((time) => (time <= first ? null : time));
  return [...times, null].filter((time, i, all) => all.indexOf(time) === i);
}

/** Pictures of a folder by frame number. Their names are microseconds from the chunk's first frame. */
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

async function packOf(
  samples: readonly SampledFrame[],
  size: { width: number; height: number },
  pictures: ReadonlyMap<number, string>,
): Promise<Buffer> {
  const frames: PackedFrame[] = [];
  const jpegs: Buffer[] = [];
  for (const sample of samples) {
    const file = pictures.get(sample.frame);
    if (file === undefined) continue;
    const jpeg = await readFile(file);
    // The last file is empty when ffmpeg was stopped in the middle of it.
    if (jpeg.length === 0) continue;
    frames.push({ ...sample, ...size });
    jpegs.push(jpeg);
  }
  return packFrames(frames, jpegs);
}

function sizeKey({ width, height }: { width: number; height: number }): string {
  return `${width}x${height}`;
}
