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
  segmentOfInterval,
  IntervalFold,
} from '@adit/module-kit';
import type {
  FoldContext,
  FoldInput,
  FoldStep,
  Instant,
  SampledDetections,
  Portrait,
  Segment,
  Interval,
  IntervalSource,
  IntervalState,
} from '@adit/module-kit';
import { z } from 'zod';
import { captionsByFrame } from './captions.js';
import type { Naming } from './labels.js';
import { scenesByFrame } from './scenes.js';
import { seenByFrame, type Seen } from './seen-by-frame.js';

/**
 * Data of an interval's detections: their number, the sum of confidences, the highest, the best picture; and the last
 * positions.
 */
type Gathered = Pick<Seen, 'type' | 'label'> & {
  count: number;
  sum: number;
  highest: number;
  portrait: Portrait;
  boxes: Box[];
  /** Time in seconds of the last sure detection. */
  sureAt: number;
};

/** `open` holds an interval of about 650 bytes without its marks per type and label; there are as many as labels. */
export type ObjectState = IntervalState<Gathered>;

/**
 * Observations of a job: of a detector, with a classifier beside it where one is installed as `scenes`, or of a
 * classifier alone; with captions in addition, or captions alone.
 */
const Observations = z
  .object({
    objects: ObjectObservations.optional(),
    scenes: SceneObservations.optional(),
    captions: CaptionObservations.optional(),
  })
  .refine(
    ({ objects, scenes, captions }) => (objects ?? scenes ?? captions) !== undefined,
    'No analysis has observations.',
  );
type Observations = z.infer<typeof Observations>;

/** Stored positions per label. */
const MAX_BOXES = 20;
/** Overlap with an object's last box from which a nearly sure detection continues it. */
const SAME_PLACE = 0.3;
/** Longest continuation in seconds without a sure detection, since behind a cut another object may be in that place. */
const MAX_FADING_SECONDS = 3;

/**
 * Fold of objects and scenes into segments: one per interval in which a label is visible, with all objects of that
 * label as detections.
 */
export class ObjectFold extends IntervalFold<Gathered> {
  /**
   * `minConfidence` is 0..1; `confidence` maps a score to a probability, 0..1; `dictionaries` are those that `naming`
   * uses.
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
    const parsed = Observations.parse(observations);
    const seen = this.seen(parsed);
    return {
      sampled: (parsed.objects ?? parsed.scenes ?? parsed.captions)?.sampled ?? [],
      detectionsAt: (at, frame, goingOn) => intervalsAt(at, seen.get(frame) ?? [], goingOn),
    };
  }

  /** A classifier's labels for a picture come with the surest first. */
  override fold(state: ObjectState, input: FoldInput, context?: Pick<FoldContext, 'rate'>): FoldStep<ObjectState> {
    const step = super.fold(state, input, context);
    if (input.unit.facts.kind !== 'image') return step;
    const scenes = step.segments.filter(isScene).sort((a, b) => b.confidence - a.confidence);
    const surest = scenes.values();
    const segments = step.segments.map((each) => (isScene(each) ? (surest.next().value ?? each) : each));
    return { ...step, segments };
  }

  private seen({ objects, scenes, captions }: Observations): Map<number, Seen[]> {
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
      boxes: sameSample ? [...earlier.boxes, ...later.boxes].slice(0, MAX_BOXES) : later.boxes,
    };
  }

  protected segmentOf(interval: Interval<Gathered>, source: IntervalSource): Segment {
    const { type, label, highest, sum, count, portrait } = interval.extra;
    const confidence = rounded(source.image ? highest : sum / count);
    const meta: Record<string, Json> = source.image ? { label, confidence } : { label, mean_confidence: confidence };
    const detections = interval.marks.kept.map((mark) => boxDetection('object_bbox', mark, 'confidence'));
    return segmentOfInterval(interval, source, { type, label, confidence, meta, detections, portrait });
  }
}

/**
 * Returns the intervals of one frame; those of one type and label are joined. Nearly sure detections continue an
 * interval (hysteresis, as in Canny 1986), but are neither listed nor counted in its confidence.
 */
function intervalsAt(
  at: Instant,
  seen: readonly Seen[],
  goingOn: (key: string) => Gathered | null,
): Interval<Gathered>[] {
  return seen.flatMap(({ type, label, box, confidence, sure, portrait }) => {
    const key = `${type}:${label}`;
    const boxes = box === null ? [] : [box];
    if (sure) {
      const marks = boxes.map((place) => boxMark(at.frame, place, confidence));
      const gathered = { type, label, count: 1, sum: confidence, highest: confidence, portrait, boxes };
      return appearance(key, at, marks, { ...gathered, sureAt: at.time });
    }
    const before = goingOn(key);
    if (before === null || at.time - before.sureAt > MAX_FADING_SECONDS) return [];
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
