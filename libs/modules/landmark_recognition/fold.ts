import { ImageEmbeddingObservations } from '@adit/analyses/image-embedding/observations';
import { addStretch, appearance, betterPortrait, instantsOf, takeAll, takeFinal } from '@adit/mining';
import type {
  ClosedSource,
  Fold,
  FoldContext,
  FoldInput,
  FoldStep,
  Instant,
  Portrait,
  Segment,
  Stretch,
} from '@adit/mining';
import type { Landmarks } from './landmarks.js';

/** Of the frames of a stretch: the highest similarity, and the picture that has it. */
type Gathered = { similarity: number; portrait: Portrait };

/** JSON: at most 1 MiB. `open` holds, by landmark, what may still go on. */
export type LandmarkState = {
  source: number;
  /** Samples looked at so far. */
  samples: number;
  open: Stretch<Gathered>[];
};

/**
 * Pictures to segments: one for each stretch of time in which a landmark is to be seen. Frames count one by one, so units
 * may cut the source anywhere.
 */
export class LandmarkFold implements Fold<LandmarkState> {
  /** `minSimilarity` is 0..1. */
  constructor(
    private readonly landmarks: Landmarks,
    private readonly minSimilarity: number,
  ) {}

  start({ sourceIndex }: FoldContext): LandmarkState {
    return { source: sourceIndex ?? 0, samples: 0, open: [] };
  }

  fold(state: LandmarkState, { unit, observations }: FoldInput): FoldStep<LandmarkState> {
    const seen = ImageEmbeddingObservations.parse(observations['image-embedding']);
    this.landmarks.checkNetwork(seen.network);
    if (unit.facts.kind === 'image') {
      const at: Instant = { frame: unit.sourceIndex, time: 0, sample: unit.sourceIndex };
      const found = seen.sampled.flatMap((frame) => this.stretchAt(at, frame, seen));
      return { state, segments: found.map((stretch) => this.segmentOf(stretch, unit.sourceIndex)) };
    }
    const instants = instantsOf(seen.sampled, state.samples);
    const open = [...state.open];
    let last: Instant | null = null;
    for (const frame of seen.sampled) {
      const at = instants.get(frame.frame) as Instant;
      for (const stretch of this.stretchAt(at, frame, seen)) addStretch(open, stretch, gather);
      last = at;
    }
    const final = last === null ? [] : takeFinal(open, last);
    return {
      state: { ...state, samples: state.samples + instants.size, open },
      segments: final.map((stretch) => this.segmentOf(stretch, state.source)),
    };
  }

  close({ open, source }: LandmarkState): ClosedSource {
    return { segments: takeAll([...open]).map((stretch) => this.segmentOf(stretch, source)), summaries: [] };
  }

  /** The landmark of a frame, if one is near enough, as a stretch of that frame alone. */
  private stretchAt(
    at: Instant,
    { embedding, view }: ImageEmbeddingObservations['sampled'][number],
    { views }: ImageEmbeddingObservations,
  ): Stretch<Gathered>[] {
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

  private segmentOf({ key, start, end, extra }: Stretch<Gathered>, sourceIndex: number): Segment {
    const confidence = Math.round(extra.similarity * 10_000) / 10_000;
    const { label, meta } = this.landmarks.described(Number(key));
    return {
      sourceIndex,
      frameStart: start.frame,
      frameEnd: end.frame,
      timeStart: start.time,
      timeEnd: end.time,
      type: 'landmark',
      label,
      confidence,
      meta: { landmark: meta, confidence },
      detections: [],
      thumbnail: extra.portrait.thumbnail,
      keyFrame: extra.portrait.keyFrame,
    };
  }
}

function gather(earlier: Gathered, later: Gathered): Gathered {
  return {
    similarity: Math.max(earlier.similarity, later.similarity),
    portrait: betterPortrait(earlier.portrait, later.portrait),
  };
}
