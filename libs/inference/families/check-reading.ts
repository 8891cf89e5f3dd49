import { AditError, type ModelManifest } from '@adit/contracts';
import type { PixelBox } from '../picture/affine.js';
import { floatTensor, type FloatTensor, type Tensor } from '../tensor.js';
import type { FamilyDefinition } from './family.js';
import { MODEL_FAMILIES } from './index.js';
import type { Answer, Read, ReadAs } from './reading.js';

/** Largest valid score, with a margin for float16 rounding. */
const MAX_SCORE = 1.01;
/** Smallest score of a box that counts as evidence. */
const MIN_SCORE = 0.01;
/** Pixels: boxes that all lie within so few are a sign of coordinates in fractions of the picture. */
const WITHIN = 1.5;
/** Smallest score of a detection, as `adit model add --try` shows it. */
const FOUND_FROM = 0.25;
/** Number of weak boxes that are enough to judge coordinates. */
const MANY = 10;

/** Returns how to read a model's outputs, from its manifest. */
export function readAsOf({ decoding, family, labels, dimensions, input }: ModelManifest): ReadAs {
  const { decodings = [] } = MODEL_FAMILIES.find(family) ?? {};
  return {
    decoding: decoding ?? decodings[0] ?? '',
    labels: labels?.length ?? 1,
    dimensions: dimensions ?? 0,
    width: input?.width ?? 0,
    height: input?.height ?? 0,
  };
}

/**
 * Returns the findings of a model in a picture, from `minScore` on; null for a family whose outputs mean nothing by
 * themselves. Throws VALIDATION.
 */
export function readAnswer(family: FamilyDefinition, answer: Answer, as: ReadAs, minScore: number): Read[] | null {
  if (family.read === undefined) return null;
  try {
    return family.read(answer, as, minScore);
  } catch (error) {
    const how = family.decodings.length > 1 ? `${family.name}, as ${as.decoding}` : family.name;
    throw new AditError('VALIDATION', `It cannot be read as a ${how}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns why outputs of these dimensions, without the batch, cannot be read; null when they can. */
export function whyUnreadable(
  family: FamilyDefinition,
  dims: Readonly<Record<string, readonly number[]>>,
  as: ReadAs,
): string | null {
  const empty = Object.entries(dims).map(([name, each]): [string, FloatTensor] => {
    return [name, floatTensor(new Float32Array(each.reduce((count, dim) => count * dim, 1)), each)];
  });
  try {
    readAnswer(family, Object.fromEntries(empty), as, 1);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Throws VALIDATION where the outputs' dimensions contradict the manifest. */
export function refuseOtherShapes(manifest: ModelManifest, outputs: Readonly<Record<string, Tensor>>): void {
  const family = MODEL_FAMILIES.find(manifest.family);
  if (family === undefined) return;
  const dims = Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, output.dims]));
  const why = whyUnreadable(family, dims, readAsOf(manifest));
  if (why !== null) throw new AditError('VALIDATION', why);
}

/** Throws VALIDATION, naming the wrong field, where answers to pictures contradict the manifest. */
export function refuseUnreadable(manifest: ModelManifest, answers: readonly Answer[]): void {
  const family = MODEL_FAMILIES.find(manifest.family);
  if (family?.read === undefined) return;
  const as = readAsOf(manifest);
  const others = otherReadings(family, answers, as).map(({ decoding }) => decoding);
  const hint = others.length > 0 ? ` It can be read as ${others.join(', ')}: --decoding ${others[0]}.` : '';
  const read: Read[] = [];
  for (const answer of answers) {
    try {
      read.push(...(readAnswer(family, answer, as, 0) ?? []));
    } catch (error) {
      throw wrong('decoding', `${reasonOf(error)}${hint}`);
    }
    const kind = family.strangeKind?.(answer, as);
    if (kind != null) throw wrong('labels', `It answers the class ${kind}, and ${as.labels} labels were given.`);
  }
  const doubt = doubtIn(read, as);
  if (doubt !== null) throw wrong('decoding', `Read as ${as.decoding}, ${doubt}.${hint}`);
}

/** Returns other decodings of the same family in which something is found, the one with the highest score first. */
export function otherReadings(
  family: FamilyDefinition,
  answers: readonly Answer[],
  as: ReadAs,
): { decoding: string; count: number; highest: number }[] {
  return family.decodings
    .filter((decoding) => decoding !== as.decoding)
    .flatMap((decoding) => {
      try {
        const other = { ...as, decoding };
        const read = answers.flatMap((answer) => readAnswer(family, answer, other, MIN_SCORE) ?? []);
        if (doubtIn(read, other) !== null) return [];
        const found = read.filter(({ score, box }) => score >= FOUND_FROM && (box === null || isInside(box, as)));
        const highest = found.reduce((most, { score }) => Math.max(most, score), 0);
        return found.length === 0 ? [] : [{ decoding, count: found.length, highest }];
      } catch {
        // This decoding does not fit the outputs.
        return [];
      }
    })
    .sort((a, b) => b.highest - a.highest);
}

/** Returns the evidence against a decoding, as the rest of a sentence. */
function doubtIn(read: readonly Read[], { width, height }: ReadAs): string | null {
  const highest = read.reduce((most, { score }) => Math.max(most, score), 0);
  if (highest > MAX_SCORE) return `its scores reach ${highest.toPrecision(3)}, and a score is at most 1`;
  const boxes = read.flatMap(({ score, box }) => (box !== null && score >= MIN_SCORE ? [box] : []));
  // A few weak boxes may lie anywhere, in a corner too.
  if (highest < FOUND_FROM && boxes.length < MANY) return null;
  if (boxes.length === 0) return null;
  if (boxes.every(({ x, y, w, h }) => Math.max(x + w, y + h) <= WITHIN && Math.min(x, y) >= -WITHIN))
    return 'all of its boxes lie within one pixel, as if they were parts of the picture';
  if (!boxes.some((box) => isInside(box, { width, height }))) return 'all of its boxes lie outside of the picture';
  return null;
}

function isInside({ x, y, w, h }: PixelBox, { width, height }: Pick<ReadAs, 'width' | 'height'>): boolean {
  return w >= 1 && h >= 1 && x < width && y < height && x + w > 0 && y + h > 0 && w <= 2 * width && h <= 2 * height;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function wrong(answer: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer: `/${answer}`, code: 'invalid', message }] });
}
