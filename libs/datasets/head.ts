import {
  elementAt,
  SAME_FACE_DISTANCE,
  type ClosePair,
  type LeftOutImage,
  type LeftOutReason,
  type TrainingReport,
} from '@adit/contracts';
import { cosine } from './inference.js';

/** A class of the head: views for comparison, each of length 1. */
export interface HeadClass {
  id: string;
  label: string;
  centres: Float32Array[];
}

/** Result of a training: an embedding belongs to the class of its nearest centre, or to none beyond the threshold. */
export interface Head {
  classes: HeadClass[];
  report: TrainingReport;
}

/** A training image: its embedding of length 1, or the reason why it is omitted. */
export interface TrainedImage {
  id: string;
  /** SHA-256 of the file. */
  digest: string | null;
  seen: Float32Array | LeftOutReason;
}

/** Incremental training of a dataset, class by class: only the embeddings of views are kept. */
export interface HeadInMaking {
  add(one: { id: string; label: string }, images: readonly TrainedImage[]): void;
  /** Returns null without usable images. `onProgress` is called between classes, with the finished part. */
  head(onProgress?: (part: number) => void): Head | null;
}

/** Selects the embeddings of one network, that of the first image. */
export class SeenImages<Inference extends { network: { name: string; digest: string } }> {
  network: Inference['network'] | null = null;

  constructor(private readonly seen: (inference: Inference | null) => TrainedImage['seen']) {}

  of(inference: Inference | null): TrainedImage['seen'] {
    if (inference !== null) this.network ??= inference.network;
    return inference === null || inference.network.digest === this.network?.digest
      ? this.seen(inference)
      : 'unreadable';
  }
}

export interface View {
  imageId: string;
  vector: Float32Array;
}
/** Views of a class. */
export interface Views {
  id: string;
  label: string;
  views: View[];
}

interface HeadOptions {
  /** Most centres per class. */
  maxCentres: number;
  /** Reason code for a photo of another class. */
  otherClassReason: LeftOutImage['reason'];
  /**
   * Puts the threshold midway between other classes' similarity and that of one class's views, where that is stricter.
   */
  isMidway: boolean;
  /** Cosine from which classes with similar views are duplicates and do not affect the threshold; null: never. */
  twiceFrom: number | null;
  /** Images omitted so far; the head adds its own. */
  leftOut: LeftOutImage[];
}

/** Omitted images listed in the report. */
const MAX_LEFT_OUT = 1000;
const MAX_PAIRS = 10;
/** Margin of similarity by which a photo shows another class rather than its own. */
const PLAINLY = 0.1;
/** The smallest sensible threshold. The largest is the default of jobs about faces; that about places, 0.75, is the same distance. */
const MIN_DISTANCE = 0.7;
const MARGIN = 0.02;
/**
 * Budget of multiplications for cleaning or measuring; beyond it a sample is used. For 512 values it is 40 million
 * comparisons.
 */
const MAX_PRODUCTS = 40_000_000 * 512;

/**
 * Trains a head: photos of another class are omitted, every class gets its mean and its most different views, and a
 * threshold is found at which no photo gets another class's name. Trials measure it. Reproducible. Returns null without
 * views. `onProgress` is called between classes, with the finished part.
 */
export function headOf(
  classes: Views[],
  { maxCentres, otherClassReason, isMidway, twiceFrom, leftOut }: HeadOptions,
  onProgress: (part: number) => void,
): Head | null {
  withoutOtherClasses(classes, leftOut, otherClassReason, (part) => onProgress(0.4 * part));
  const kept = classes.filter(({ views }) => views.length > 0);
  if (kept.length === 0) return null;
  const centres = (views: readonly View[]) => centresOf(vectorsOf(views), maxCentres);
  const heads: HeadClass[] = [];
  for (const { id, label, views } of kept) heads.push({ id, label, centres: centres(views) });
  const rivals = rivalsOf(kept, heads, (part) => onProgress(0.4 + 0.3 * part));
  const own = isMidway ? ownLikeness(kept) : null;
  const twins = new Set(rivals.flatMap((rival) => (rival.alike >= (twiceFrom ?? Infinity) ? pairOf(rival) : [])));
  const likeliest = rivals.filter((rival) => !twins.has(pairOf(rival))).sort((a, b) => b.alike - a.alike);
  const threshold = thresholdOf(likeliest[0]?.alike ?? -1, own);
  const heldOut: Float32Array[][] = [];
  for (const { views } of kept) heldOut.push(centres(views.length >= 3 ? views.slice(0, -1) : views));
  const { confused, ...trial } = tried(kept, heldOut, threshold, (part) => onProgress(0.7 + 0.3 * part));
  const report: TrainingReport = {
    number_of_classes: kept.length,
    number_of_images: kept.reduce((sum, { views }) => sum + views.length, 0),
    left_out: leftOut.slice(0, MAX_LEFT_OUT),
    number_left_out: leftOut.length,
    threshold: rounded(threshold),
    ...trial,
    ...unseenTrial(likeliest, own),
    closest_pairs: closestPairs(kept, rivals, confused),
  };
  return { classes: heads, report };
}

/** Omits photos that show another class. */
function withoutOtherClasses(
  classes: Views[],
  leftOut: LeftOutImage[],
  reason: LeftOutImage['reason'],
  onProgress: (part: number) => void,
): void {
  const means: Float32Array[][] = [];
  for (const { views } of classes) means.push(views.length === 0 ? [] : [meanOf(vectorsOf(views))]);
  const every = strideOf(classes, means.length);
  for (let at = 0; at < classes.length; at += every) {
    const { id, views } = elementAt(classes, at);
    const others = means.map((mean, place) => (place === at ? [] : mean));
    const outsiders = new Set<View>();
    for (const view of views) {
      const { alike } = nearestOf(view.vector, others);
      if (alike >= 0.5 && !isLikeOneOf(views, view, alike - PLAINLY)) outsiders.add(view);
    }
    // A class of only such photos stays, since it is ambiguous which of the two is wrong.
    if (outsiders.size > 0 && outsiders.size < views.length) {
      for (const { imageId } of outsiders) leftOut.push({ class_id: id, image_id: imageId, reason });
      elementAt(classes, at).views = views.filter((view) => !outsiders.has(view));
    }
    if (at % 50 === 0) onProgress(at / classes.length);
  }
}

/** Tests whether another view has at least this cosine. */
function isLikeOneOf(views: readonly View[], { vector }: View, least: number): boolean {
  for (const other of views) {
    if (other.vector !== vector && cosine(vector, other.vector) >= least) return true;
  }
  return false;
}

/** Returns the mean of three or more, and the views least similar to those already chosen. */
function centresOf(vectors: readonly Float32Array[], most: number): Float32Array[] {
  if (vectors.length < 3) return [...vectors];
  let newest = meanOf(vectors);
  const centres = [newest];
  /** Similarity of each remaining view to its nearest centre. */
  const left = new Map(vectors.map((vector) => [vector, -Infinity]));
  while (left.size > 0 && centres.length < most) {
    let next: Float32Array | null = null;
    let least = Infinity;
    for (const [vector, before] of left) {
      const nearest = Math.max(before, cosine(vector, newest));
      left.set(vector, nearest);
      if (nearest < least) [next, least] = [vector, nearest];
    }
    if (next === null) break;
    left.delete(next);
    centres.push(next);
    newest = next;
  }
  return centres;
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const first = elementAt(vectors, 0);
  const sum = new Float64Array(first.length);
  for (const vector of vectors) {
    for (let index = 0; index < sum.length; index += 1) sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0);
  }
  const length = Math.hypot(...sum);
  return length === 0 ? first : Float32Array.from(sum, (value) => value / length);
}

function vectorsOf(views: readonly View[]): Float32Array[] {
  return views.map(({ vector }) => vector);
}

/** Nearest view of another class. */
interface Rival {
  at: number;
  other: number;
  alike: number;
}

function pairOf({ at, other }: Rival): string {
  return `${Math.min(at, other)} ${Math.max(at, other)}`;
}

function rivalsOf(classes: readonly Views[], heads: readonly HeadClass[], onProgress: (part: number) => void): Rival[] {
  const rivals: Rival[] = [];
  const every = strideOf(classes, rowsOf(heads.map(({ centres }) => centres)));
  for (let at = 0; at < classes.length; at += every) {
    const others = heads.map(({ centres }, place) => (place === at ? [] : centres));
    for (const { vector } of elementAt(classes, at).views) {
      const { place: other, alike } = nearestOf(vector, others);
      if (other !== -1) rivals.push({ at, other, alike });
    }
    if (at % 50 === 0) onProgress(at / classes.length);
  }
  return rivals;
}

/**
 * Returns the similarity to the nearest other view of the class that nine of ten views reach; null when no class has
 * two.
 */
function ownLikeness(classes: readonly Views[]): number | null {
  const products = classes.reduce((sum, { views }) => sum + views.length ** 2 * (views[0]?.vector.length ?? 0), 0);
  const every = Math.max(1, Math.ceil(products / MAX_PRODUCTS));
  const likeness: number[] = [];
  for (const { views } of classes) {
    if (views.length < 2) continue;
    for (const [at, { vector }] of views.entries()) {
      if (at % every > 0) continue;
      let most = -1;
      for (const other of views) {
        if (other.vector !== vector) most = Math.max(most, cosine(vector, other.vector));
      }
      likeness.push(most);
    }
  }
  likeness.sort((a, b) => a - b);
  return likeness[Math.floor(likeness.length / 10)] ?? null;
}

/**
 * Returns the largest sensible distance at which no photo gets another class's name; `worst` is the similarity of the
 * nearest ones.
 */
function thresholdOf(worst: number, own: number | null): number {
  const alike = Math.max(worst + MARGIN, own === null ? -1 : (worst + own) / 2);
  return Math.min(SAME_FACE_DISTANCE, Math.max(MIN_DISTANCE, distanceOf(alike)));
}

/** Holds one photo out of each class with at least three, and tests it on a head of the others. */
function tried(
  classes: readonly Views[],
  heads: readonly Float32Array[][],
  threshold: number,
  onProgress: (part: number) => void,
): Pick<TrainingReport, 'held_out' | 'named_right' | 'named_wrong'> & { confused: { at: number; who: number }[] } {
  const asked = classes.flatMap(({ views }, at) =>
    views.length >= 3 ? [{ id: '', label: '', at, views: views.slice(-1) }] : [],
  );
  const every = strideOf(asked, rowsOf(heads));
  const confused: { at: number; who: number }[] = [];
  const trial = { held_out: 0, named_right: 0, named_wrong: 0, confused };
  for (let place = 0; place < asked.length; place += every) {
    const { at, views } = elementAt(asked, place);
    const { place: who, alike } = nearestOf(elementAt(views, 0).vector, heads);
    trial.held_out += 1;
    if (distanceOf(alike) <= threshold) trial[who === at ? 'named_right' : 'named_wrong'] += 1;
    if (who !== at) trial.confused.push({ at, who });
    if (place % 20 === 0) onProgress(place / asked.length);
  }
  return trial;
}

/**
 * Tests every class on a head of all others, whose threshold was found without it: none of its photos may get a name.
 */
function unseenTrial(
  likeliest: readonly Rival[],
  own: number | null,
): Required<Pick<TrainingReport, 'unseen' | 'unseen_named'>> {
  const thresholds = new Map<number, number>();
  const thresholdWithout = (at: number): number => {
    const without = likeliest.find((rival) => rival.at !== at && rival.other !== at);
    return thresholdOf(without?.alike ?? -1, own);
  };
  const named = likeliest.filter(({ at, alike }) => {
    const threshold = thresholds.get(at) ?? thresholdWithout(at);
    thresholds.set(at, threshold);
    return distanceOf(alike) <= threshold;
  });
  return { unseen: likeliest.length, unseen_named: named.length };
}

function closestPairs(
  classes: readonly Views[],
  rivals: readonly Rival[],
  confused: readonly { at: number; who: number }[],
): ClosePair[] {
  const pairs = new Map<string, ClosePair>();
  for (const rival of [...rivals].sort((a, b) => b.alike - a.alike)) {
    if (pairs.size === MAX_PAIRS) break;
    const key = pairOf(rival);
    if (pairs.has(key)) continue;
    const { at, other, alike } = rival;
    const [first, second] = [Math.min(at, other), Math.max(at, other)];
    const isOfPair = (one: { at: number; who: number }): boolean =>
      (one.at === first && one.who === second) || (one.at === second && one.who === first);
    pairs.set(key, {
      class_id: elementAt(classes, first).id,
      other_class_id: elementAt(classes, second).id,
      distance: rounded(distanceOf(alike)),
      confused: confused.filter(isOfPair).length,
    });
  }
  return [...pairs.values()];
}

/** Returns the index in `heads` of the centre most similar to a view; -1 when all are empty. */
function nearestOf(
  vector: Float32Array,
  heads: readonly (readonly Float32Array[])[],
): { place: number; alike: number } {
  const nearest = { place: -1, alike: -1 };
  for (const [place, centres] of heads.entries()) {
    for (const centre of centres) {
      const alike = cosine(vector, centre);
      if (alike > nearest.alike) Object.assign(nearest, { place, alike });
    }
  }
  return nearest;
}

function rowsOf(heads: readonly Float32Array[][]): number {
  return heads.reduce((sum, centres) => sum + centres.length, 0);
}

/** Returns the stride over classes that keeps comparisons with `rows` within the budget. */
function strideOf(classes: readonly Views[], rows: number): number {
  const values = classes.reduce((sum, { views }) => sum + views.length * (views[0]?.vector.length ?? 0), 0);
  return Math.max(1, Math.ceil((values * rows) / MAX_PRODUCTS));
}

/** Returns ‖a − b‖ of two directions with that cosine. */
function distanceOf(alike: number): number {
  return Math.sqrt(Math.max(0, 2 - 2 * Math.min(1, alike)));
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
