import { setImmediate as turn } from 'node:timers/promises';
import { elementAt, type LeftOutImage, type TrainingReport } from '@adit/contracts';
import { linked, usableFace, type FaceLimits, type LookedImage } from './cluster-faces.js';
import { cosine, vectorOf } from './look.js';

export interface TrainedClass {
  id: string;
  label: string;
  images: readonly LookedImage[];
}

/** A class of the head: the views that a face is compared with, each of length 1. */
export interface HeadClass {
  id: string;
  label: string;
  centres: Float32Array[];
}

export interface FaceHead {
  /** The network whose embeddings it compares. */
  network: { name: string; digest: string };
  classes: HeadClass[];
  report: TrainingReport;
}

interface View {
  imageId: string;
  vector: Float32Array;
}
interface Views {
  id: string;
  label: string;
  views: View[];
}

/** Of a class: enough for glasses, beards and years. */
const MOST_CENTRES = 8;
/** Named in the report. */
const MOST_LEFT_OUT = 1000;
/** A photo that is this much more like somebody else than like the rest of its class shows somebody else. */
const PLAINLY = 0.1;
/** Distance that a threshold never exceeds: what jobs use by default; and the least that makes sense. */
const [FARTHEST, NEAREST] = [1.0, 0.7];
const MARGIN = 0.02;
/** Vectors compared with all others to clean and to measure; of more a sample is. A comparison is half a microsecond. */
const MOST_COMPARISONS = 40_000_000;

/**
 * Makes a head of faces from a dataset: what cannot be used and who plainly is somebody else is left out, every class gets up to
 * eight centres (its mean, and views as far apart as it has them), and a trial on photos that it was not given measures it.
 * The same classes give the same head. Returns null when nothing can be used. `goOn` is asked between classes, with the part
 * that is done.
 */
export async function fitFaceHead(
  classes: readonly TrainedClass[],
  limits: FaceLimits,
  goOn: (part: number) => Promise<void>,
): Promise<FaceHead | null> {
  const leftOut: LeftOutImage[] = [];
  const kept: Views[] = [];
  const network = classes.flatMap(({ images }) => images.flatMap(({ look }) => look?.network ?? []))[0];
  for (const [at, one] of classes.entries()) {
    const found = await viewsOf(one, limits, network?.digest ?? '', leftOut);
    if (found.length > 0) kept.push({ id: one.id, label: one.label, views: found });
    if (at % 50 === 0) await goOn((0.4 * at) / classes.length);
  }
  if (network === undefined) return null;
  await withoutStrangers(kept, leftOut, async (part) => goOn(0.4 + 0.3 * part));
  const people = kept.filter(({ views }) => views.length > 0);
  if (people.length === 0) return null;
  const heads = people.map(headOf);
  const threshold = await thresholdOf(people, heads);
  const trial = await tried(people, threshold, async (part) => goOn(0.7 + 0.3 * part));
  const report: TrainingReport = {
    number_of_classes: people.length,
    number_of_images: people.reduce((sum, { views }) => sum + views.length, 0),
    left_out: leftOut.slice(0, MOST_LEFT_OUT),
    number_left_out: leftOut.length,
    threshold: rounded(threshold),
    ...trial,
  };
  return { network, classes: heads, report };
}

/** The views of who a class is about; the others are noted. */
async function viewsOf(
  { id, images }: TrainedClass,
  limits: FaceLimits,
  network: string,
  leftOut: LeftOutImage[],
): Promise<View[]> {
  const views: (View & { digest: string | null })[] = [];
  for (const { id: imageId, digest, look } of images) {
    const found =
      look !== null && look.network.digest !== network ? { reason: 'unreadable' as const } : usableFace(look, limits);
    if (!('face' in found))
      leftOut.push({ class_id: id, image_id: imageId, reason: found.reason as LeftOutImage['reason'] });
    else if (digest !== null && views.some((view) => view.digest === digest))
      leftOut.push({ class_id: id, image_id: imageId, reason: 'duplicate' });
    else views.push({ imageId, digest, vector: vectorOf(found.face.embedding) });
  }
  if (views.length < 3) return views;
  const groups = await linked(views.map(({ vector }) => vector));
  const [largest = []] = groups.sort((a, b) => b.length - a.length || elementAt(a, 0) - elementAt(b, 0));
  // When no two are alike, nobody knows who is meant: all stay.
  if (largest.length === 1) return views;
  return views.filter(({ imageId }, at) => {
    if (largest.includes(at)) return true;
    leftOut.push({ class_id: id, image_id: imageId, reason: 'outlier' });
    return false;
  });
}

/** Leaves out photos that show somebody of another class. */
async function withoutStrangers(
  people: Views[],
  leftOut: LeftOutImage[],
  goOn: (part: number) => Promise<void>,
): Promise<void> {
  const means = people.map(({ views }) => meanOf(views.map(({ vector }) => vector)));
  const every = strideOf(people.length ** 2);
  for (let at = 0; at < people.length; at += every) {
    const { id, views } = elementAt(people, at);
    const strangers = views.filter(({ vector }) => {
      const others = views.filter((view) => view.vector !== vector);
      const own = Math.max(0, ...others.map((view) => cosine(vector, view.vector)));
      const other = Math.max(-1, ...means.map((mean, place) => (place === at ? -1 : cosine(vector, mean))));
      return other >= 0.5 && other > own + PLAINLY;
    });
    if (strangers.length > 0 && strangers.length < views.length + Number(views.length === 1)) {
      for (const { imageId } of strangers) leftOut.push({ class_id: id, image_id: imageId, reason: 'another_person' });
      elementAt(people, at).views = views.filter((view) => !strangers.includes(view));
    }
    if (at % 50 === 0) await goOn(at / people.length);
    await turn();
  }
}

function headOf({ id, label, views }: Views): HeadClass {
  return { id, label, centres: centresOf(views.map(({ vector }) => vector)) };
}

/** The mean of three or more, and the views that are least like those that were chosen before. */
export function centresOf(vectors: readonly Float32Array[]): Float32Array[] {
  if (vectors.length < 3) return [...vectors];
  const centres = [meanOf(vectors)];
  const left = new Set(vectors);
  while (left.size > 0 && centres.length < MOST_CENTRES) {
    let next: Float32Array | null = null;
    let least = Infinity;
    for (const vector of left) {
      const nearest = Math.max(...centres.map((centre) => cosine(vector, centre)));
      if (nearest < least) [next, least] = [vector, nearest];
    }
    if (next === null) break;
    left.delete(next);
    centres.push(next);
  }
  return centres;
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const first = elementAt(vectors, 0);
  const sum = new Float64Array(first.length);
  for (const vector of vectors) vector.forEach((value, index) => (sum[index] = (sum[index] ?? 0) + value));
  const length = Math.hypot(...sum);
  return length === 0 ? first : Float32Array.from(sum, (value) => value / length);
}

/** The largest distance at which no photo of the dataset gets the name of another class, within sense. */
async function thresholdOf(people: readonly Views[], heads: readonly HeadClass[]): Promise<number> {
  let worst = -1;
  const every = strideOf(people.length * heads.length * 4);
  for (let at = 0; at < people.length; at += every) {
    for (const [place, { centres }] of heads.entries()) {
      if (place === at) continue;
      for (const { vector } of elementAt(people, at).views.slice(0, 4)) {
        for (const centre of centres.slice(0, 1)) worst = Math.max(worst, cosine(vector, centre));
      }
    }
    await turn();
  }
  const distance = Math.sqrt(Math.max(0, 2 - 2 * Math.min(1, worst + MARGIN)));
  return Math.min(FARTHEST, Math.max(NEAREST, distance));
}

/** One photo of each class that has three is held out of a head of the others, and asked for. */
async function tried(
  people: readonly Views[],
  threshold: number,
  goOn: (part: number) => Promise<void>,
): Promise<Pick<TrainingReport, 'held_out' | 'named_right' | 'named_wrong'>> {
  const asked = people.flatMap(({ views }, at) => (views.length >= 3 ? [{ at, view: elementAt(views, -1) }] : []));
  const heads = people.map(({ views }) =>
    centresOf((views.length >= 3 ? views.slice(0, -1) : views).map(({ vector }) => vector)),
  );
  const rows = heads.reduce((sum, centres) => sum + centres.length, 0);
  const every = strideOf(asked.length * rows);
  const trial = { held_out: 0, named_right: 0, named_wrong: 0 };
  for (let place = 0; place < asked.length; place += every) {
    const { at, view } = elementAt(asked, place);
    let [best, who] = [-1, -1];
    for (const [other, centres] of heads.entries()) {
      for (const centre of centres) {
        const alike = cosine(view.vector, centre);
        if (alike > best) [best, who] = [alike, other];
      }
    }
    trial.held_out += 1;
    if (Math.sqrt(Math.max(0, 2 - 2 * best)) <= threshold) trial[who === at ? 'named_right' : 'named_wrong'] += 1;
    if (place % 20 === 0) await goOn(place / asked.length);
    await turn();
  }
  return trial;
}

/** Every how many-th is looked at, so that no more is compared than there is time for. */
function strideOf(comparisons: number): number {
  return Math.max(1, Math.ceil(comparisons / MOST_COMPARISONS));
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
