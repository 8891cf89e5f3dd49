import { ImageEmbeddingObservations } from '@adit/analyses/image-embedding/observations';
import { appearance, betterPortrait, segmentOfInterval, IntervalFold } from '@adit/module-kit';
import type {
  FoldInput,
  Instant,
  SampledDetections,
  Portrait,
  Segment,
  Interval,
  IntervalSource,
  IntervalState,
} from '@adit/module-kit';
import type { Landmarks } from './landmarks.js';

/** Data of an interval's frames: the highest similarity, and its picture. */
type Gathered = { similarity: number; portrait: Portrait };
export type LandmarkState = IntervalState<Gathered>;

/** Fold of pictures into segments: one per interval in which a landmark is visible. */
export class LandmarkFold extends IntervalFold<Gathered> {
  /** `minSimilarity` is 0..1. */
  constructor(
    private readonly landmarks: Landmarks,
    private readonly minSimilarity: number,
  ) {
    super();
  }

  prepare(call: () => unknown): Promise<void> {
    return this.landmarks.prepare(call);
  }

  protected detect({ observations }: FoldInput): SampledDetections<Gathered, LandmarkState> {
    const seen = ImageEmbeddingObservations.parse(observations['image-embedding']);
    this.landmarks.checkNetwork(seen.network);
    const byFrame = new Map(seen.sampled.map((sample) => [sample.frame, sample]));
    return {
      sampled: seen.sampled,
      detectionsAt: (at, frame) => {
        const sample = byFrame.get(frame);
        return sample === undefined ? [] : this.intervalAt(at, sample, seen);
      },
    };
  }

  /** Returns the landmark of a frame, if one is near enough, as an interval of that frame alone. */
  private intervalAt(
    at: Instant,
    { embedding, view }: ImageEmbeddingObservations['sampled'][number],
    { views }: ImageEmbeddingObservations,
  ): Interval<Gathered>[] {
    const found = this.landmarks.recognise(embedding);
    if (found === null || found.similarity < this.minSimilarity) return [];
    const shown = views[view];
    const portrait: Portrait = {
      rank: found.similarity,
      thumbnail: shown?.thumbnail ?? null,
      keyFrame: shown === undefined ? null : { frame: shown.frame, picture: shown.picture },
    };
    return [appearance(String(found.landmark), at, [], { similarity: found.similarity, portrait })];
  }

  protected merge(earlier: Gathered, later: Gathered): Gathered {
    return {
      similarity: Math.max(earlier.similarity, later.similarity),
      portrait: betterPortrait(earlier.portrait, later.portrait),
    };
  }

  protected segmentOf(interval: Interval<Gathered>, source: IntervalSource): Segment {
    const { similarity, portrait } = interval.extra;
    const confidence = Math.round(similarity * 10_000) / 10_000;
    const { label, meta } = this.landmarks.described(Number(interval.key));
    return segmentOfInterval(interval, source, {
      ...{ type: 'landmark', label, confidence, portrait },
      meta: { landmark: meta, confidence },
    });
  }
}
