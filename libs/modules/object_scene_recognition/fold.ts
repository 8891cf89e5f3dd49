import { ObjectObservations } from '@adit/analyses/objects/observations';
import { SceneObservations } from '@adit/analyses/scenes/observations';
import type { Json } from '@adit/contracts';
import { appearance, betterPortrait, boxDetection, boxMark, segmentOfStretch, StretchFold } from '@adit/mining';
import type { FoldInput, Instant, Look, Portrait, Segment, Stretch, StretchSource, StretchState } from '@adit/mining';
import type { Naming } from './labels.js';
import { scenesByFrame } from './scenes.js';
import { seenByFrame, type Seen } from './sightings.js';

/** What a stretch keeps of its detections: how many, the sum of their confidences, the highest, the best picture. */
type Gathered = Pick<Seen, 'type' | 'label'> & { count: number; sum: number; highest: number; portrait: Portrait };

/** `open` holds a stretch of about 650 bytes without its marks for each type and label; there are as many as labels. */
export type ObjectState = StretchState<Gathered>;

/**
 * Objects and scenes to segments: one for each stretch of time in which something of a label is to be seen, with all
 * objects that are of that label as detections.
 */
export class ObjectFold extends StretchFold<Gathered> {
  /** `minConfidence` is 0..1. */
  constructor(
    private readonly minConfidence: number,
    private readonly naming: Naming,
  ) {
    super();
  }

  protected look({ observations }: FoldInput): Look<Gathered, ObjectState> {
    const objects = ObjectObservations.parse(observations['objects']);
    const seen = this.seen(objects, observations['scenes']);
    return { sampled: objects.sampled, seenAt: (at, frame) => stretchesAt(at, seen.get(frame) ?? []) };
  }

  /** `scenes` is undefined where no classifier was installed when the job was posted. */
  private seen(objects: ObjectObservations, scenes: unknown): Map<number, Seen[]> {
    const seen = seenByFrame(objects, this.minConfidence, this.naming);
    if (scenes === undefined) return seen;
    for (const [frame, more] of scenesByFrame(SceneObservations.parse(scenes), this.minConfidence, this.naming)) {
      seen.set(frame, [...(seen.get(frame) ?? []), ...more]);
    }
    return seen;
  }

  protected gather(earlier: Gathered, later: Gathered): Gathered {
    return {
      ...earlier,
      count: earlier.count + later.count,
      sum: earlier.sum + later.sum,
      highest: Math.max(earlier.highest, later.highest),
      portrait: betterPortrait(earlier.portrait, later.portrait),
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

/** What one frame shows, a stretch for each thing; those of one type and label become one. */
function stretchesAt(at: Instant, seen: readonly Seen[]): Stretch<Gathered>[] {
  return seen.map(({ type, label, box, confidence, portrait }) => {
    const marks = box === null ? [] : [boxMark(at.frame, box, confidence)];
    const gathered: Gathered = { type, label, count: 1, sum: confidence, highest: confidence, portrait };
    return appearance(`${type}:${label}`, at, marks, gathered);
  });
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
