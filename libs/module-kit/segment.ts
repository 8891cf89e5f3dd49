import type { Detection, Json, PersonShown, PictureRef } from '@adit/contracts';

/**
 * Claim of an identity that its members share without a name, such as the unknown people of a job. The store assigns
 * the embedding to the nearest member within `maxDistance`, or creates a new one, in the transaction that writes the
 * segment.
 */
export interface IdentityClaim {
  /** `unknowns`, for clusters of this job; with `network` an index collection of the workspace. */
  collection: string;
  /** L2-normalised. */
  embedding: number[];
  /** Euclidean, 0..2. */
  maxDistance: number;
  /** Claims with an equal value are of different people: they appear in one picture. */
  apart?: string;
  /** Name of the embedding's network, for an index collection, which outlives the job. */
  network?: string;
}

/** What a face is compared by. */
export interface FaceEmbedding {
  /** Name of the network. */
  network: string;
  /** L2-normalised. */
  embedding: number[];
}

/** A final segment of a source that shows one thing. Times are seconds from the source's first frame. */
export interface Segment {
  sourceIndex: number;
  /** First and last sampled frame that show it, inclusive, counted from the start of the source. */
  frameStart: number | null;
  frameEnd: number | null;
  timeStart: number;
  timeEnd: number;
  /** Type in summaries: `face`, `object`, … */
  type: string;
  /** Label when folded; a claim's or a dictionary's name replaces it when read. */
  label: string;
  /** Confidence or similarity, 0..1, that `min_confidence` filters on. */
  confidence: number;
  /** The module's own fields, as interface.md names them. */
  meta: Record<string, Json>;
  /** At most 1,000, thinned evenly. */
  detections: Detection[];
  thumbnail: PictureRef | null;
  /** Small picture of the whole frame that shows it best, for reports. */
  keyFrame: { frame: number; picture: PictureRef } | null;
  claim?: IdentityClaim;
  /** Whoever it shows, for searches by a photo: where the workspace keeps faces it is stored beside the segment. */
  face?: FaceEmbedding;
  /** Of a live stream: names the open segment (`Fold.open`) that it ends. */
  key?: string;
  /** Training picture of a person: the job's end adds it to the dataset that the module names. */
  teaches?: { label: string; picture: PictureRef };
}

/** A segment that is not final, as it is so far. */
export type OpenSegment = Segment & { key: string };

/** A row of summarised results. */
export interface Summary {
  type: string;
  meta: Record<string, number>;
  /** Categories that are identities of the job: the store names each (`Unknown #2`) and adds its number to `meta`. */
  groups?: { claim: IdentityClaim; value: number }[];
  /** Upper bound of a category when the job joins two identities. */
  atMost?: number;
  /** Picture that it summarises, when one fold covers all pictures of a job. */
  sourceIndex?: number;
  /** Stored beside it, and never returned. */
  people?: PersonShown[];
}

export interface ClosedSource {
  segments: Segment[];
  summaries: Summary[];
}
