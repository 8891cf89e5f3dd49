import { elementAt } from '@adit/contracts';
import {
  inputOf,
  letterbox,
  type NetworkSession,
  overlap,
  type PixelBox,
  type Point,
  type RgbImage,
  type ScoredBox,
  suppress,
  tiles,
} from '@adit/inference';
import { blazeface, mapPoints, type BlazeFace, type FacePoints } from './blazeface.js';
import { faceMesh } from './facemesh.js';
import { ahead } from '../tracking/ahead.js';
import type { RegionSearch } from './searched-regions.js';
import { ultraface } from './ultraface.js';

export interface DetectionNetworks {
  ultraface: NetworkSession;
  blazeface: NetworkSession;
  facemesh: NetworkSession;
}

/** A face in fractions of the frame (box and points), independent of the picture's size. */
export interface DetectedFace extends ScoredBox {
  points: FacePoints;
  /** Score of UltraFace, which proposed it, 0.5..1; `score` is the mean of it and BlazeFace's. */
  proposed: number;
}

/** What is known of a film's picture before its faces are looked for. */
interface Search {
  /** Faces of the same place shortly before or after, in fractions: small faces are looked for only around the small ones. */
  known?: readonly PixelBox[];
  /** Knows what lies in regions that have not changed. */
  regions?: RegionSearch;
}

/** Below this score UltraFace reports as many false faces as true ones. */
const MIN_CANDIDATE = 0.5;
/** Score from which UltraFace and BlazeFace together are enough. */
const SURE = 0.9;
/** Shorter side, in pixels of the closely examined picture, above which BlazeFace is reliable. */
const LARGE = 48;
/** Score that BlazeFace gives to nearly nine large faces in ten, and to hardly any false ones. */
const SURELY_SEEN = 0.8;
/** Wider faces may be cut by every tile; the pass over the whole frame shows them large enough. */
const TILE_OVERLAP = 48;
/** Pictures up to this many times the detector's input lose too little in one pass to be worth tiles. */
const TILED_FROM = 1.35;
/** Concurrent runs of the detector: the next regions are prepared while the network processes the current one. */
const RUNS_AHEAD = 3;
/** Intersection over union from which UltraFace and BlazeFace mean the same face. */
const MIN_OVERLAP = 0.3;
/**
 * Shorter side, in pixels of the detector's input, above which one pass over the whole frame finds a face as surely as
 * tiles do.
 */
const SEEN_WHOLE = 32;
/** A small face is looked for within its box, enlarged by this many of its sides to each side. */
const AROUND = 2;
/** Smaller sides, in pixels, are noise in the detector's own grid. */
const MIN_SIDE = 10;

/**
 * Finds every face of a picture. UltraFace proposes: once on the whole frame for large faces, then at full size in
 * overlapping tiles for small ones. BlazeFace confirms: it examines twice each proposed box in `closer` (the same
 * frame, possibly larger) and finds the key points; unconfirmed boxes are dropped. Where UltraFace was in doubt, or
 * BlazeFace about a large face, Face Mesh has to see a face as well. On the evaluation's group photos each network
 * alone reports false faces; together they report none (README.md).
 */
export async function detectFaces(
  picture: RgbImage,
  closer: RgbImage,
  networks: DetectionNetworks,
  search: Search = {},
): Promise<DetectedFace[]> {
  const candidates = suppress(await propose(picture, networks.ultraface, search), 0.35, 0.6);
  const scale = closer.width / picture.width;
  const near = candidates.map((candidate) => scaled(candidate, scale));
  return (await confirm(near, closer, networks)).map(({ box, seen }) => inFractions(box, seen, closer));
}

/**
 * Finds the faces that are expected in a picture, without UltraFace: BlazeFace has to see each where it is expected, in
 * fractions of the picture. Returns null where one is not seen.
 */
export async function confirmFaces(
  picture: RgbImage,
  networks: DetectionNetworks,
  expected: readonly DetectedFace[],
): Promise<DetectedFace[] | null> {
  const { width, height } = picture;
  const near = expected.map(({ x, y, w, h, proposed }) => ({
    ...{ x: x * width, y: y * height, w: w * width, h: h * height, score: proposed },
  }));
  const confirmed = await confirm(near, picture, networks);
  if (confirmed.length < expected.length) return null;
  return confirmed.map(({ box, seen, at }) => {
    // Expected boxes are of UltraFace; by how much a face is elsewhere, BlazeFace's points say.
    const was = centre(mapPoints(elementAt(expected, at).points, ([x, y]) => [x * width, y * height]));
    const is = centre(seen.points);
    return inFractions({ ...box, x: box.x + is[0] - was[0], y: box.y + is[1] - was[1] }, seen, picture);
  });
}

/** Those of the boxes, in pixels of the picture, in which BlazeFace sees a face, each once; `at` is the box's index. */
async function confirm(
  boxes: readonly ScoredBox[],
  picture: RgbImage,
  networks: DetectionNetworks,
): Promise<{ box: ScoredBox; seen: BlazeFace; at: number }[]> {
  const checked = await ahead(boxes, RUNS_AHEAD, async (box, at) => {
    const seen = await blazeface(networks.blazeface, picture, box, MIN_OVERLAP);
    if (!seen || !isConfirmed(box, seen)) return [];
    if (isInDoubt(box, seen) && !(await hasMesh(networks.facemesh, picture, seen))) return [];
    return [{ box, seen, at }];
  });
  const heads = checked.flat().map((face) => ({ ...face.seen, score: face.box.score, face }));
  return suppress(heads, 0.5, 0.8).map(({ face }) => face);
}

function inFractions(box: ScoredBox, seen: BlazeFace, { width, height }: RgbImage): DetectedFace {
  return {
    ...{ x: box.x / width, y: box.y / height, w: box.w / width, h: box.h / height },
    ...{ score: (box.score + seen.score) / 2, proposed: box.score },
    points: mapPoints(seen.points, ([x, y]) => [x / width, y / height]),
  };
}

function centre(points: FacePoints): Point {
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  return [mean(0), mean(1)];
}

/** Thresholds measured on the evaluation's photos, their reductions to 23-pixel faces and their false candidates. */
function isConfirmed(box: ScoredBox, seen: BlazeFace): boolean {
  if (isLarge(box)) return seen.score >= 0.6;
  return seen.score >= 0.65 || (seen.score >= 0.4 && box.score >= 0.95);
}

function isInDoubt(box: ScoredBox, seen: BlazeFace): boolean {
  return box.score < SURE || (isLarge(box) && seen.score < SURELY_SEEN);
}

function isLarge({ w, h }: PixelBox): boolean {
  return Math.min(w, h) >= LARGE;
}

/** Face Mesh tells faces from hands, fur and folds, but misses small profiles, so it runs only in doubt. */
async function hasMesh(network: NetworkSession, picture: RgbImage, seen: BlazeFace): Promise<boolean> {
  const [right, left] = seen.points;
  const angle = Math.atan2(left[1] - right[1], left[0] - right[0]);
  const centre: Point = [seen.x + seen.w / 2, seen.y + seen.h / 2];
  const { presence } = await faceMesh(network, picture, centre, Math.max(seen.w, seen.h) * 1.5, angle);
  return presence >= 0.5;
}

async function propose(
  picture: RgbImage,
  network: NetworkSession,
  { known, regions: among = (_region, _kind, search) => search() }: Search,
): Promise<ScoredBox[]> {
  const { width, height } = picture;
  const input = inputOf(network);
  const tiled = width > input.width * TILED_FROM || height > input.height * TILED_FROM;
  const whole = letterbox(width, height, input);
  const places = known === undefined ? null : placesOfSmall(known, picture, input.width / whole.w);
  const regions = [whole];
  if (tiled) {
    const all = tiles(width, height, input, TILE_OVERLAP);
    regions.push(...all.filter((tile) => places === null || places.some((place) => overlap(tile, place) > 0)));
  }
  const found = await ahead(regions, RUNS_AHEAD, async (region, i) => {
    return among(region, i === 0 ? 'whole' : 'tile', async () => {
      const boxes = await ultraface(network, picture, region, MIN_CANDIDATE);
      return i === 0 ? boxes : boxes.filter((box) => !isCut(box, region, width, height));
    });
  });
  return found
    .flat()
    .map((box) => clipped(box, width, height))
    .filter((box) => Math.min(box.w, box.h) >= MIN_SIDE);
}

/** Returns where, in pixels of the picture, small faces among `known` may be by now; `scale`: of the pass over all of it. */
function placesOfSmall(known: readonly PixelBox[], { width, height }: RgbImage, scale: number): PixelBox[] {
  return known
    .map(({ x, y, w, h }) => ({ x: x * width, y: y * height, w: w * width, h: h * height }))
    .filter(({ w, h }) => Math.min(w, h) * scale < SEEN_WHOLE)
    .map(({ x, y, w, h }) => ({
      x: x - AROUND * w,
      y: y - AROUND * h,
      w: (1 + 2 * AROUND) * w,
      h: (1 + 2 * AROUND) * h,
    }));
}

/** Tests whether the box ends at an inner border of the tile, where another tile sees more of the face. */
function isCut(box: PixelBox, tile: PixelBox, width: number, height: number): boolean {
  const margin = 3;
  return (
    (tile.x > 0 && box.x < tile.x + margin) ||
    (tile.y > 0 && box.y < tile.y + margin) ||
    (tile.x + tile.w < width && box.x + box.w > tile.x + tile.w - margin) ||
    (tile.y + tile.h < height && box.y + box.h > tile.y + tile.h - margin)
  );
}

function clipped(box: ScoredBox, width: number, height: number): ScoredBox {
  const x = Math.max(0, box.x);
  const y = Math.max(0, box.y);
  return { ...box, x, y, w: Math.min(width, box.x + box.w) - x, h: Math.min(height, box.y + box.h) - y };
}

function scaled(box: ScoredBox, factor: number): ScoredBox {
  return { x: box.x * factor, y: box.y * factor, w: box.w * factor, h: box.h * factor, score: box.score };
}
