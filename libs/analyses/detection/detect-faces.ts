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
import { ultraface } from './ultraface.js';

export interface DetectionNetworks {
  ultraface: NetworkSession;
  blazeface: NetworkSession;
  facemesh: NetworkSession;
}

/** A face in fractions of the frame (box and points), independent of the picture's size. */
export interface DetectedFace extends ScoredBox {
  points: FacePoints;
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
 *
 * `known`: faces of the same place shortly before or after. Then small faces are looked for only around the small ones
 * among these.
 */
export async function detectFaces(
  picture: RgbImage,
  closer: RgbImage,
  networks: DetectionNetworks,
  known?: readonly PixelBox[],
): Promise<DetectedFace[]> {
  const candidates = suppress(await propose(picture, networks.ultraface, known), 0.35, 0.6);
  const scale = closer.width / picture.width;
  const checked = await ahead(candidates, RUNS_AHEAD, async (candidate) => {
    const near = scaled(candidate, scale);
    const seen = await blazeface(networks.blazeface, closer, near, MIN_OVERLAP);
    if (!seen || !isConfirmed(candidate, near, seen)) return [];
    if (isInDoubt(candidate, near, seen) && !(await hasMesh(networks.facemesh, closer, seen))) return [];
    return [{ box: near, seen }];
  });
  const confirmed = checked.flat();
  const heads = suppress(
    confirmed.map((face) => ({ ...face.seen, score: face.box.score, face })),
    0.5,
    0.8,
  );
  return heads.map(({ face: { box, seen } }) => ({
    x: box.x / closer.width,
    y: box.y / closer.height,
    w: box.w / closer.width,
    h: box.h / closer.height,
    score: (box.score + seen.score) / 2,
    points: mapPoints(seen.points, ([x, y]) => [x / closer.width, y / closer.height]),
  }));
}

/** Thresholds measured on the evaluation's photos, their reductions to 23-pixel faces and their false candidates. */
function isConfirmed(candidate: ScoredBox, near: PixelBox, seen: BlazeFace): boolean {
  if (isLarge(near)) return seen.score >= 0.6;
  return seen.score >= 0.65 || (seen.score >= 0.4 && candidate.score >= 0.95);
}

function isInDoubt(candidate: ScoredBox, near: PixelBox, seen: BlazeFace): boolean {
  return candidate.score < SURE || (isLarge(near) && seen.score < SURELY_SEEN);
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
  known: readonly PixelBox[] | undefined,
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
    const boxes = await ultraface(network, picture, region, MIN_CANDIDATE);
    return i === 0 ? boxes : boxes.filter((box) => !isCut(box, region, width, height));
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
