import { elementAt } from '@adit/contracts';
import {
  defineAnalysis,
  frameAt,
  frameRate,
  framesFor,
  type AnalysisContext,
  type AnalysisInput,
  type FramePack,
  type PixelBox,
  wholePixels,
} from '@adit/inference';
import { z } from 'zod';
import { ahead } from '../tracking/ahead.js';
import { PictureKeeper } from '../tracking/picture-keeper.js';
import { cutsBetween, frameSignature } from '../tracking/shots.js';
import { compareObjects } from './compare.js';
import { detectObjects } from '../detection/detect-objects.js';
import { FACE_MARGIN, FACE_NETWORKS, faceShare, mayBeFace } from './faces-in.js';
import { ObjectFollower, type FollowedObject, type SightedObject } from './follow.js';
import { ObjectObservations, type ObjectTrack } from './observations.js';

const ObjectArguments = z.strictObject({
  /** Analysed frames per second of a film. */
  rate: frameRate(),
  /** Name of the detector; when omitted, the built-in one. */
  model: z.string().min(1).optional(),
  /** Pixels of the shorter side of a film's frames, while photos keep their size; when omitted, 600 for both. */
  side: z.int().positive().optional(),
});
type ObjectArguments = z.infer<typeof ObjectArguments>;

const DEFAULT_DETECTOR = 'general-c';
/** Concurrent frames: the next ones are decoded and scaled while the network processes the current one. */
const FRAMES_IN_FLIGHT = 3;
/** Best score from which a track gets pictures. */
const PICTURED_FROM = 0.35;
/** Margin of a thumbnail as a fraction of the object's size. */
const THUMBNAIL_MARGIN = 0.1;

/** Finds, names and follows objects, down to a low score; modules decide which to keep. See README.md. */
export default defineAnalysis({
  name: 'objects',
  family: 'object',
  version: 5,
  args: ObjectArguments,
  observations: ObjectObservations,
  // Objects of the user's detector stay unchanged.
  models: ({ model = DEFAULT_DETECTOR }) => (model === DEFAULT_DETECTOR ? [model, ...FACE_NETWORKS] : [model]),
  input: { kind: 'frames', specs: ({ rate, side }) => [framesFor(rate, side)] },
  analyse,
  compare: compareObjects,
});

async function analyse(input: AnalysisInput, context: AnalysisContext<ObjectArguments>): Promise<ObjectObservations> {
  const { networks, signal } = context;
  const { model = DEFAULT_DETECTOR } = context.args;
  const network = networks[model];
  if (!network) throw new RangeError(`The analysis objects was given no network ${model}.`);
  const [pack] = input.packs;
  if (!pack) throw new RangeError('The analysis objects needs a pack of frames.');
  // A film shows an object repeatedly, a photo once. The user's detector runs as it does elsewhere.
  const closely = input.unit.kind === 'image' && model === DEFAULT_DETECTOR;
  const detected = await ahead(pack.frames, FRAMES_IN_FLIGHT, async (_, index) => {
    signal.throwIfAborted();
    return pack.withPicture(index, async (picture) => ({
      objects: await detectObjects(picture, network, closely),
      signature: frameSignature(picture),
    }));
  });

  const follower = new ObjectFollower();
  const cuts = cutsBetween(detected.map(({ signature }) => signature));
  for (const [index, { objects }] of detected.entries()) {
    const { time } = frameAt(pack, index);
    follower.add(
      objects.map((object) => ({ ...object, index, time })),
      elementAt(cuts, index),
    );
  }

  const keeper = new PictureKeeper(context.keepPicture, pack);
  const tracks = follower.finish().map((track, id) => ({ ...track, id, best: bestView(track) }));
  // Sorted by frame, so that a frame that represents several tracks is decoded once.
  const inOrder = [...tracks].sort((a, b) => a.best.index - b.best.index || a.id - b.id);
  const described = await ahead(inOrder, FRAMES_IN_FLIGHT, async (track) => {
    signal.throwIfAborted();
    return describe(track, pack, keeper, await faceIn(track, pack, context));
  });
  return {
    sampled: pack.frames.map(({ frame, time }) => ({ frame, time: rounded(time, 6) })),
    tracks: described.sort((a, b) => a.id - b.id),
  };
}

/** Returns the sighting with the highest score; of equal ones the largest. */
function bestView({ sightings }: FollowedObject): SightedObject {
  const worth = ({ score, w, h }: SightedObject): number => score + 0.1 * Math.sqrt(w * h);
  return sightings.reduce((best, sighting) => (worth(sighting) > worth(best) ? sighting : best));
}

async function describe(
  { id, label, sightings, best }: FollowedObject & { id: number; best: SightedObject },
  pack: FramePack,
  keeper: PictureKeeper,
  face: number | null,
): Promise<ObjectTrack> {
  const pictured = isPictured(sightings);
  return {
    id,
    label,
    sightings: sightings.map(({ index, time, score, x, y, w, h }) => ({
      frame: frameAt(pack, index).frame,
      time: rounded(time, 6),
      box: { x: rounded(x, 5), y: rounded(y, 5), w: rounded(w, 5), h: rounded(h, 5) },
      score: rounded(score, 4),
    })),
    face,
    thumbnail: pictured
      ? await keeper.thumbnail(id, await pack.region(best.index, around(best, pack, THUMBNAIL_MARGIN)))
      : null,
    keyFrame: pictured ? { frame: frameAt(pack, best.index).frame, picture: await keeper.keyFrame(best.index) } : null,
  };
}

function isPictured(sightings: readonly SightedObject[]): boolean {
  return Math.max(...sightings.map(({ score }) => score)) >= PICTURED_FROM;
}

/** Returns the share of a track's best view that one face covers, 0..1; null where it is not checked. */
async function faceIn(
  { label, sightings, best }: FollowedObject & { best: SightedObject },
  pack: FramePack,
  { networks, args: { model = DEFAULT_DETECTOR } }: AnalysisContext<ObjectArguments>,
): Promise<number | null> {
  const { ultraface, blazeface, facemesh } = networks;
  if (model !== DEFAULT_DETECTOR || !ultraface || !blazeface || !facemesh) return null;
  if (!mayBeFace(label) || !isPictured(sightings)) return null;
  const { width, height } = frameAt(pack, best.index);
  const seen = wholePixels(around(best, pack, FACE_MARGIN), { width, height });
  const picture = await pack.region(best.index, seen);
  const box = {
    x: (best.x * width - seen.x) / seen.w,
    y: (best.y * height - seen.y) / seen.h,
    w: (best.w * width) / seen.w,
    h: (best.h * height) / seen.h,
  };
  return rounded(await faceShare(picture, box, { ultraface, blazeface, facemesh }), 3);
}

/** Returns the object with a margin, in pixels of its frame. */
function around({ index, x, y, w, h }: SightedObject, pack: FramePack, margin: number): PixelBox {
  const { width, height } = frameAt(pack, index);
  return {
    x: (x - w * margin) * width,
    y: (y - h * margin) * height,
    w: w * (1 + 2 * margin) * width,
    h: h * (1 + 2 * margin) * height,
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
