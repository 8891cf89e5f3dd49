import { z } from 'zod';
import { pageFacts, type Extent, type MediaFacts } from './media.js';

/** A source as its units know it. */
export interface UnitSource {
  sourceIndex: number;
  /** SHA-256 of the source's bytes. */
  mediaDigest: string;
  facts: MediaFacts;
}

/**
 * The smallest thing observations are cached for: an interval of a film's frames or of sound, or one whole image. A chunk of
 * video or of audio is one unit, a chunk of images one per picture. A film's sound has units beside those of its frames.
 */
export type Unit<Kind extends Extent['kind'] = Extent['kind']> = UnitSource & Extract<Extent, { kind: Kind }>;

/** An extent of a source as those who look at it, and fold what they saw, know it: a page of a document is a picture to them. */
export function unitOf(source: UnitSource, extent: Extent): Unit {
  const { facts } = source;
  if (extent.kind !== 'image' || extent.page === undefined || facts.kind !== 'pdf') return { ...source, ...extent };
  return { ...source, ...extent, facts: pageFacts(facts, extent.page) };
}

/**
 * Returns a picture's index in place of a frame number: the page of its document, or its place among the images of the
 * job.
 */
export function pictureIndex(unit: Unit): number {
  return unit.kind === 'image' ? (unit.page ?? unit.sourceIndex) : unit.sourceIndex;
}

/** Who looked. */
export const Maker = z.object({
  /** The release of the process. */
  engine: z.string(),
  /**
   * Execution providers of its models, sorted: more than one if some fell back. Empty for an analysis without models.
   */
  providers: z.array(z.string()),
});
export type Maker = z.infer<typeof Maker>;

/** Outcome of an analysis for one unit: the key of a JSON object in the store, or the reason for its absence. */
export const UnitOutcome = z.object({
  sourceIndex: z.int().nonnegative(),
  observations: z.string().nullable(),
  error: z.string().nullable(),
  /** Maker of the observations, cached ones included; missing in those of earlier builds. */
  madeBy: Maker.optional(),
});
export type UnitOutcome = z.infer<typeof UnitOutcome>;

/** A picture kept with the observations (best view of a face, key frame): key of a JPEG in the object store. */
export const PictureRef = z.object({ key: z.string(), width: z.int().positive(), height: z.int().positive() });
export type PictureRef = z.infer<typeof PictureRef>;

/** Fractions of the displayed frame, 0..1, from its top left corner. */
export const Box = z.object({
  x: z.number().describe('Left edge, as a fraction of the width'),
  y: z.number().describe('Upper edge, as a fraction of the height'),
  w: z.number().describe('Width, as a fraction of the width'),
  h: z.number().describe('Height, as a fraction of the height'),
});
export type Box = z.infer<typeof Box>;

/** When somebody of a source is to be seen, for what several modules say together. JSON. */
export interface PersonShown {
  /** Null for somebody whom no gallery knows. */
  label: string | null;
  /** Tells whether they are listed by name: dictionaries may list but some. */
  listed: boolean;
  gender: string;
  age: string;
  /** Seconds from and to, in turns, in order. */
  shown: number[];
}

/** What an analysis of a chunk took, in seconds; what the cache answered took nothing. */
export const ChunkUse = z.object({
  /** Length of the media that was analysed; pictures have none. */
  media: z.number().nonnegative(),
  /** From the begin of the attempt that succeeded to its end. */
  wall: z.number().nonnegative(),
  /** Runs of models on CPUs and GPUs, as measured where they run. */
  cpu: z.number().nonnegative(),
  gpu: z.number().nonnegative(),
});
export type ChunkUse = z.infer<typeof ChunkUse>;
