import { elementAt, zip } from '@adit/contracts';
import {
  defineAnalysis,
  frameAt,
  frameRate,
  framesFor,
  type AnalysisContext,
  type AnalysisInput,
  type FramePack,
  type NetworkSession,
  type RgbImage,
  wholePixels,
} from '@adit/inference';
import { z } from 'zod';
import { pairedPack } from '../faces/paired-pack.js';
import { ahead } from '../tracking/ahead.js';
import { frameSignature } from '../tracking/shots.js';
import { PictureKeeper } from '../tracking/picture-keeper.js';
import { linesBetween, type Between, type AnalysedFrame } from './between.js';
import { compareText } from './compare.js';
import { detectLines, type DetectedLine } from './detect.js';
import { boxOf, LineFollower, lumaTemplate, type FollowedLine, type SightedLine } from './follow.js';
import { TextObservations, type TextTrack } from './observations.js';
import { readLine, LANGUAGE_RECOGNISERS } from './read.js';
import { mapCorners } from './rotated-rect.js';

const TextArguments = z.strictObject({
  /** Analysed frames per second of a film. */
  rate: frameRate(),
  /** Name of a recogniser that reads all marks by itself; when omitted, the built-in ones read together. */
  reader: z.string().min(1).optional(),
  /** Name of a text detector; when omitted, the built-in one. */
  finder: z.string().min(1).optional(),
  /**
   * Pixels of the shorter side of a film's frames in which lines are detected, while photos keep their size; when
   * omitted, 600 for both.
   */
  side: z.int().positive().optional(),
});
type TextArguments = z.infer<typeof TextArguments>;

const DETECTION = 'text-detection';
const RECOGNITION = 'text-recognition';
type Context = AnalysisContext<TextArguments>;

/** Concurrent frames, or lines. */
const FRAMES_IN_FLIGHT = 3;
/** Margin of a cropped line as a fraction of its height, so that a rotated box fits. */
const MARGIN = 0.5;

/** Detects, follows and reads every line of text, unfiltered; modules decide which matter. See README.md. */
export default defineAnalysis({
  name: 'text',
  family: 'text',
  version: 2,
  args: TextArguments,
  observations: TextObservations,
  models: ({ finder = DETECTION, reader }) => [finder, ...recognisersFor(reader)],
  input: {
    kind: 'frames',
    // The default side equals that of `faces`, so that its packs serve both.
    specs: ({ rate, side }) => [framesFor(rate, side), { rate, shorterSide: 'native' }],
  },
  analyse,
  compare: compareText,
});

/** Returns the recogniser, and those that see the marks it does not. */
function recognisersFor(reader: string | undefined): [recogniser: string, ...accents: string[]] {
  return reader === undefined ? [RECOGNITION, ...LANGUAGE_RECOGNISERS] : [reader];
}

async function analyse(input: AnalysisInput, context: Context): Promise<TextObservations> {
  const { networks, signal } = context;
  const given = (name: string): NetworkSession => {
    const network = networks[name];
    if (!network) throw new RangeError(`The analysis text was given no network ${name}.`);
    return network;
  };
  const { args } = context;
  const detector = given(args.finder ?? DETECTION);
  const [recogniser, ...accents] = recognisersFor(args.reader);
  const recognisers = { recogniser: given(recogniser), accents: accents.map(given) };
  const [small, large] = input.packs;
  if (!small || !large) throw new RangeError('The analysis text needs two packs: detection size and native.');
  const native = pairedPack(small, large);
  const { follower, signatures } = await followLines(small, detector, signal);

  const keeper = new PictureKeeper(context.keepPicture, native);
  const lines = follower.finish().map((line, id) => ({ ...line, id, best: bestSighting(line) }));
  // Sorted by frame, so that a frame that shows several lines is decoded once.
  const inOrder = [...lines].sort((a, b) => a.best.index - b.best.index || a.id - b.id);
  const tracks = await ahead(inOrder, FRAMES_IN_FLIGHT, async (line) => {
    signal.throwIfAborted();
    return describe(line, native, keeper, recognisers, movement(line, signatures));
  });
  return {
    sampled: small.frames.map(({ frame, time }) => ({ frame, time: rounded(time, 6) })),
    tracks: tracks.filter((track) => track !== null).sort((a, b) => a.id - b.id),
  };
}

/** Detects lines in every other frame, and in those between where the neighbours do not determine them. */
async function followLines(
  pack: FramePack,
  detector: NetworkSession,
  signal: AbortSignal,
): Promise<{ follower: LineFollower; signatures: Float32Array[] }> {
  const follower = new LineFollower();
  const signatures: Float32Array[] = [];
  const seenIn = (picture: RgbImage, index: number): Seen => {
    const signature = frameSignature(picture);
    signatures[index] = signature;
    return { index, time: frameAt(pack, index).time, signature, templateOf: (box) => lumaTemplate(picture, box) };
  };
  const follow = ({ time, templateOf }: Seen, lines: readonly SightedLine[]): void =>
    follower.add(lines, time, templateOf);
  let before: (AnalysedFrame & { index: number }) | null = null;
  const last = pack.frames.length - 1;
  const detectedFrames = pack.frames.map((_, index) => index).filter((index) => index % 2 === 0 || index === last);
  // Following compares the pixels of neighbours, so frames are followed in order, each while it is in memory. The order
  // is fixed before anything is awaited.
  let tail: Promise<void> = Promise.resolve();
  await ahead(detectedFrames, FRAMES_IN_FLIGHT, async (index) => {
    const previous = tail;
    let next!: () => void;
    tail = new Promise((resolve) => (next = resolve));
    try {
      signal.throwIfAborted();
      await pack.withPicture(index, async (picture) => {
        const found = await detectLines(picture, detector);
        await previous;
        const seen = seenIn(picture, index);
        const after = { ...seen, lines: sightedIn(seen, found) };
        const earlier = before;
        if (earlier !== null && index - earlier.index > 1) {
          await pack.withPicture(index - 1, async (between) => {
            const skipped = seenIn(between, index - 1);
            const lines = linesBetween(earlier, after, skipped) ?? (await detectLines(between, detector));
            follow(skipped, sightedIn(skipped, lines));
          });
        }
        follow(seen, after.lines);
        before = after;
      });
    } finally {
      next();
    }
  });
  return { follower, signatures };
}

/** A frame while it is followed. */
interface Seen extends Between {
  index: number;
  time: number;
}

function sightedIn({ index, time, templateOf }: Seen, lines: readonly DetectedLine[]): SightedLine[] {
  return lines.map((line) => {
    const box = boxOf(line);
    return { ...line, index, time, box, appearance: templateOf(box) };
  });
}

/**
 * Returns the sighting with the highest score, without the first and last where there are others, since those may be
 * fading.
 */
function bestSighting({ sightings }: FollowedLine): SightedLine {
  const settled = sightings.length > 2 ? sightings.slice(1, -1) : sightings;
  return settled.reduce((best, sighting) => (sighting.score > best.score + 0.005 ? sighting : best));
}

/** Returns the mean difference of the whole frame between samples while the line is there, 0..255. */
function movement({ sightings }: FollowedLine, signatures: readonly Float32Array[]): number {
  const [from, to] = [elementAt(sightings, 0).index, elementAt(sightings, -1).index];
  if (from === to) return 0;
  let sum = 0;
  for (let index = from + 1; index <= to; index++) {
    const [before, after] = [elementAt(signatures, index - 1), elementAt(signatures, index)];
    for (const [earlier, later] of zip(before, after)) sum += Math.abs(later - earlier) / after.length;
  }
  return sum / (to - from);
}

interface Recognisers {
  recogniser: NetworkSession;
  accents: readonly NetworkSession[];
}

async function describe(
  { id, sightings, steadiness, best }: FollowedLine & { id: number; best: SightedLine },
  pack: FramePack,
  keeper: PictureKeeper,
  { recogniser, accents }: Recognisers,
  moved: number,
): Promise<TextTrack | null> {
  const { width, height } = frameAt(pack, best.index);
  const size = Math.hypot(
    (best.corners[3][0] - best.corners[0][0]) * width,
    (best.corners[3][1] - best.corners[0][1]) * height,
  );
  const margin = MARGIN * size;
  const around = {
    x: best.box.x * width - margin,
    y: best.box.y * height - margin,
    w: best.box.w * width + 2 * margin,
    h: best.box.h * height + 2 * margin,
  };
  const region = wholePixels(around, { width, height });
  const { x, y } = region;
  const cutout = await pack.region(best.index, region);
  const line = mapCorners(best.corners, ([cx, cy]) => [cx * width - x, cy * height - y]);
  const read = await readLine(cutout, line, recogniser, accents);
  if (read === null) return null;
  return {
    id,
    text: read.text,
    confidence: rounded(read.confidence, 4),
    size: rounded(size, 1),
    steadiness: rounded(steadiness, 3),
    movement: rounded(moved, 2),
    sightings: sightings.map(({ index, time, corners, score }) => ({
      frame: frameAt(pack, index).frame,
      time: rounded(time, 6),
      corners: corners.flat().map((value) => rounded(value, 5)),
      score: rounded(score, 4),
    })),
    thumbnail: await keeper.thumbnail(id, cutout),
    keyFrame: { frame: frameAt(pack, best.index).frame, picture: await keeper.keyFrame(best.index) },
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
