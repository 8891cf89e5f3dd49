import { CaptionObservations } from '@adit/analyses/captions/observations';
import { ObjectObservations } from '@adit/analyses/objects/observations';
import { SceneObservations } from '@adit/analyses/scenes/observations';
import type { Box, Json } from '@adit/contracts';
import { askAhead, NO_DICTIONARIES, type LabelDictionaries } from '@adit/dictionaries';
import {
  appearance,
  betterPortrait,
  boxDetection,
  boxMark,
  intersectionOverUnion,
  segmentOfStretch,
  StretchFold,
} from '@adit/module-kit';
import type {
  FoldContext,
  FoldInput,
  FoldStep,
  Instant,
  SampledDetections,
  Portrait,
  Segment,
  Stretch,
  StretchSource,
  StretchState,
} from '@adit/module-kit';
import { z } from 'zod';
import { captionsByFrame } from './captions.js';
import type { Naming } from './labels.js';
import { scenesByFrame } from './scenes.js';
import { seenByFrame, type Seen } from './seen-by-frame.js';

/**
 * What a stretch keeps of its detections: how many, the sum of their confidences, the highest, the best picture; and where
 * its things were when last seen.
 */
type Gathered = Pick<Seen, 'type' | 'label'> & {
  count: number;
  sum: number;
  highest: number;
  portrait: Portrait;
  boxes: Box[];
  /** Seconds at which one was last sure. */
  sureAt: number;
};

/** `open` holds a stretch of about 650 bytes without its marks for each type and label; there are as many as labels. */
export type ObjectState = StretchState<Gathered>;

/**
 * A job looks with a detector, with a classifier beside it where one is installed as `scenes`, or with a classifier alone; and it may
 * have what it sees described, or that alone.
 */
const Looks = z
  .object({
    objects: ObjectObservations.optional(),
    scenes: SceneObservations.optional(),
    captions: CaptionObservations.optional(),
  })
  .refine(({ objects, scenes, captions }) => (objects ?? scenes ?? captions) !== undefined, 'Nothing was looked at.');
type Looks = z.infer<typeof Looks>;

/** Things of a label whose places are kept. */
const MOST_BOXES = 20;
/** What is nearly sure goes on with a thing whose last box it overlaps by as much. */
const SAME_PLACE = 0.3;
/** Seconds that it may go on so: behind a cut something else may lie in that place. */
const LONGEST_FADING = 3;

/**
 * Objects and scenes to segments: one for each stretch of time in which something of a label is to be seen, with all
 * objects that are of that label as detections.
 */
export class ObjectFold extends StretchFold<Gathered> {
  /**
   * `minConfidence` is 0..1; `confidence` says how likely a detection of that score is right, 0..1; `dictionaries` are those
   * that `naming` asks.
   */
  constructor(
    private readonly minConfidence: number,
    private readonly confidence: (score: number) => number,
    private readonly naming: Naming,
    private readonly dictionaries: LabelDictionaries = NO_DICTIONARIES,
  ) {
    super();
  }

  prepare(call: () => unknown): Promise<void> {
    return askAhead([this.dictionaries], call);
  }

  protected detect({ observations }: FoldInput): SampledDetections<Gathered, ObjectState> {
    const looks = Looks.parse(observations);
    const seen = this.seen(looks);
    return {
      sampled: (looks.objects ?? looks.scenes ?? looks.captions)?.sampled ?? [],
      detectionsAt: (at, frame, goingOn) => stretchesAt(at, seen.get(frame) ?? [], goingOn),
    };
  }

  /** What a classifier says of a picture comes with the surest first. */
  override fold(state: ObjectState, input: FoldInput, context?: Pick<FoldContext, 'rate'>): FoldStep<ObjectState> {
    const step = super.fold(state, input, context);
    if (input.unit.facts.kind !== 'image') return step;
    const scenes = step.segments.filter(isScene).sort((a, b) => b.confidence - a.confidence);
    const surest = scenes.values();
    const segments = step.segments.map((each) => (isScene(each) ? (surest.next().value ?? each) : each));
    return { ...step, segments };
  }

  private seen({ objects, scenes, captions }: Looks): Map<number, Seen[]> {
    const parts = [
      objects && seenByFrame(objects, this.minConfidence, this.confidence, this.naming),
      scenes && scenesByFrame(scenes, this.minConfidence, this.naming),
      captions && captionsByFrame(captions),
    ];
    const seen = new Map<number, Seen[]>();
    for (const [frame, more] of parts.flatMap((part) => [...(part ?? [])])) {
      seen.set(frame, [...(seen.get(frame) ?? []), ...more]);
    }
    return seen;
  }

  protected merge(earlier: Gathered, later: Gathered, sameSample: boolean): Gathered {
    return {
      ...earlier,
      count: earlier.count + later.count,
      sum: earlier.sum + later.sum,
      highest: Math.max(earlier.highest, later.highest),
      portrait: betterPortrait(earlier.portrait, later.portrait),
      sureAt: Math.max(earlier.sureAt, later.sureAt),
      boxes: sameSample ? [...earlier.boxes, ...later.boxes].slice(0, MOST_BOXES) : later.boxes,
    };
  }

  protected segmentOf(stretch: Stretch<Gathered>, source: StretchSource): Segment {
    const { type, label, highest, sum, count, portrait } = stretch.extra;
    const confidence = rounded(source.image ? highest : sum / count);
    const meta: Record<string, Json> = source.image ? { label, confidence } : { label, mean_confidence: confidence };
    const detections = stretch.marks.kept.map((mark) => boxDetection('object_bbox', mark, 'confidence'));
    return segmentOfStretch(stretch, source, { type, label, confidence, meta, detections, portrait });
  }
}

/**
 * What one frame shows, a stretch for each thing; those of one type and label become one. What is nearly sure carries on a
 * stretch that was there (hysteresis, as in Canny 1986), but is no detection of it and does not count in its confidence.
 */
function stretchesAt(
  at: Instant,
  seen: readonly Seen[],
  goingOn: (key: string) => Gathered | null,
): Stretch<Gathered>[] {
  return seen.flatMap(({ type, label, box, confidence, sure, portrait }) => {
    const key = `${type}:${label}`;
    const boxes = box === null ? [] : [box];
    if (sure) {
      const marks = boxes.map((place) => boxMark(at.frame, place, confidence));
      const gathered = { type, label, count: 1, sum: confidence, highest: confidence, portrait, boxes };
      return appearance(key, at, marks, { ...gathered, sureAt: at.time });
    }
    const before = goingOn(key);
    if (before === null || at.time - before.sureAt > LONGEST_FADING) return [];
    const isThere = (place: Box) => before.boxes.some((last) => intersectionOverUnion(last, place) >= SAME_PLACE);
    if (!boxes.some(isThere)) return [];
    const faint = { type, label, count: 0, sum: 0, highest: 0, portrait, boxes };
    return appearance(key, at, [], { ...faint, sureAt: before.sureAt });
  });
}

function isScene({ type }: Segment): boolean {
  return type === 'scene';
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
