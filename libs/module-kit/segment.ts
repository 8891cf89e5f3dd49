import type { Detection, Json, PersonShown, PictureRef } from '@adit/contracts';

/**
 * A group that its members name only together, such as the unknown people of a job. The store gives the embedding to the
 * nearest member within `maxDistance`, or makes a new one, in the transaction that writes the segment.
 */
export interface IdentityClaim {
  /** `unknowns`, for clusters of this job; with `network` an index collection of the workspace. */
  collection: string;
  /** L2-normalised. */
  embedding: number[];
  /** Euclidean, 0..2. */
  maxDistance: number;
  /** Claims that say the same here are of different people: they stand in one picture. */
  apart?: string;
  /** Into an index collection, which outlives the job: the name of the network that made the embedding. */
  network?: string;
}

/** A final stretch of a source that shows one thing. Times are seconds from the source's first frame. */
export interface Segment {
  sourceIndex: number;
  /** First and last sampled frame that show it, inclusive, counted from the start of the source. */
  frameStart: number | null;
  frameEnd: number | null;
  timeStart: number;
  timeEnd: number;
  /** `face`, `object`, … as summaries call it. */
  type: string;
  /** The label as known when folded; a claim's or a dictionary's name replaces it when read. */
  label: string;
  /** Confidence or similarity, 0..1, that `min_confidence` filters on. */
  confidence: number;
  /** The module's own fields, as interface.md names them. */
  meta: Record<string, Json>;
  /** At most 1,000, thinned evenly. */
  detections: Detection[];
  thumbnail: PictureRef | null;
  /** A small picture of the whole frame that shows it best, for reports. */
  keyFrame: { frame: number; picture: PictureRef } | null;
  claim?: IdentityClaim;
  /** Somebody whom a dataset is to know by this picture: the job's end files it, with the dataset that the module names. */
  teaches?: { label: string; picture: PictureRef };
}

/** A row of summarized results. */
export interface Summary {
  type: string;
  meta: Record<string, number>;
  /** Categories that are groups of the job: the store names each (`Unknown #2`) and adds its number to `meta`. */
  groups?: { claim: IdentityClaim; value: number }[];
  /** What a category cannot exceed when the job finds two of the groups to be one. */
  atMost?: number;
  /** The picture it sums up, when one fold covers all pictures of a job. */
  sourceIndex?: number;
  /** Kept beside it, and shown to nobody. */
  people?: PersonShown[];
}

export interface ClosedSource {
  segments: Segment[];
  summaries: Summary[];
}
