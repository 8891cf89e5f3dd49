import { ObjectObservations } from '@adit/analyses/objects/observations';
import { SceneObservations } from '@adit/analyses/scenes/observations';
import type { Json } from '@adit/contracts';
import {
  appearance,
  appendMark,
  betterPortrait,
  boxDetection,
  boxMark,
  bridges,
  fitBudget,
  instantsOf,
  MAX_DETECTIONS,
  takeAll,
  takeFinal,
} from '@adit/mining';
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
import type { Naming } from './labels.js';
import { scenesByFrame } from './scenes.js';
import { seenByFrame, type Seen } from './sightings.js';

/** What a stretch keeps of its detections: how many, the sum of their confidences, the highest, the best picture. */
type Gathered = Pick<Seen, 'type' | 'label'> & { count: number; sum: number; highest: number; portrait: Portrait };

/** JSON: at most 1 MiB. `open` holds, by type and label, what may still go on. */
export type ObjectState = {
  source: number;
  /** Samples looked at so far. */
  samples: number;
  open: Stretch<Gathered>[];
};

/** A mark takes about 36 bytes, an open stretch without its marks about 650; there are as many as labels. */
export const MAX_MARKS = 20_000;

/**
 * Objects and scenes to segments: one for each stretch of time in which something of a label is to be seen, with all
 * objects that are of that label as detections. Frames count one by one, so units may cut the source anywhere.
 */
export class ObjectFold implements Fold<ObjectState> {
  /** `minConfidence` is 0..1. */
  constructor(
    private readonly minConfidence: number,
    private readonly naming: Naming,
  ) {}

  start({ sourceIndex }: FoldContext): ObjectState {
    return { source: sourceIndex ?? 0, samples: 0, open: [] };
  }

  fold(state: ObjectState, { unit, observations }: FoldInput): FoldStep<ObjectState> {
    const objects = ObjectObservations.parse(observations['objects']);
    const seen = this.seen(objects, observations['scenes']);
    if (unit.facts.kind === 'image') {
      return { state, segments: imageSegments([...seen.values()].flat(), unit.sourceIndex) };
    }
    const instants = instantsOf(objects.sampled, state.samples);
    const open = state.open.map((stretch) => ({
      ...stretch,
      marks: { ...stretch.marks, kept: [...stretch.marks.kept] },
    }));
    let last: Instant | null = null;
    for (const [frame, at] of instants) {
      for (const stretch of stretchesAt(at, frame, seen.get(frame) ?? [])) goOn(open, stretch);
      last = at;
    }
    const final = last === null ? [] : takeFinal(open, last);
    fitBudget(
      open.map(({ marks }) => marks),
      MAX_MARKS,
    );
    return {
      state: { ...state, samples: state.samples + instants.size, open },
      segments: final.map((stretch) => segmentOf(stretch, state.source, 'video')),
    };
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

  close({ open, source }: ObjectState): ClosedSource {
    return { segments: takeAll([...open]).map((stretch) => segmentOf(stretch, source, 'video')), summaries: [] };
  }
}

/** Continues the open stretch of its type and label with what one later frame shows, or begins another. */
function goOn(open: Stretch<Gathered>[], added: Stretch<Gathered>): void {
  const before = open.find(({ key, end }) => key === added.key && bridges(end, added.start));
  if (before === undefined) {
    open.push(added);
    return;
  }
  before.end = added.end;
  before.extra = gather(before.extra, added.extra);
  for (const mark of added.marks.kept) appendMark(before.marks, mark, MAX_DETECTIONS);
}

/** One stretch for each type and label of a frame. `frame` is what detections are numbered by. */
function stretchesAt(at: Instant, frame: number, seen: readonly Seen[]): Stretch<Gathered>[] {
  const byKey = new Map<string, Seen[]>();
  for (const one of seen) {
    const key = `${one.type}:${one.label}`;
    byKey.set(key, [...(byKey.get(key) ?? []), one]);
  }
  return [...byKey].map(([key, all]) => {
    const marks = all.flatMap(({ box, confidence }) => (box === null ? [] : [boxMark(frame, box, confidence)]));
    const gathered = all
      .map(({ type, label, confidence, portrait }): Gathered => ({
        ...{ type, label, portrait, count: 1 },
        ...{ sum: confidence, highest: confidence },
      }))
      .reduce(gather);
    return appearance(key, at, marks, gathered);
  });
}

function gather(earlier: Gathered, later: Gathered): Gathered {
  return {
    ...earlier,
    count: earlier.count + later.count,
    sum: earlier.sum + later.sum,
    highest: Math.max(earlier.highest, later.highest),
    portrait: betterPortrait(earlier.portrait, later.portrait),
  };
}

/** A picture: one segment a type and label, whose frame is the picture's place in the job. */
function imageSegments(seen: readonly Seen[], index: number): Segment[] {
  const at: Instant = { frame: index, time: 0, sample: index };
  return takeAll(stretchesAt(at, index, seen)).map((stretch) => segmentOf(stretch, index, 'image'));
}

function segmentOf(
  { start, end, marks, extra }: Stretch<Gathered>,
  sourceIndex: number,
  media: 'image' | 'video',
): Segment {
  const { type, label } = extra;
  const confidence = rounded(media === 'image' ? extra.highest : extra.sum / extra.count);
  const meta: Record<string, Json> = media === 'image' ? { label, confidence } : { label, mean_confidence: confidence };
  return {
    sourceIndex,
    frameStart: start.frame,
    frameEnd: end.frame,
    timeStart: start.time,
    timeEnd: end.time,
    type,
    label,
    confidence,
    meta,
    detections: marks.kept.map((mark) => boxDetection('object_bbox', mark, 'confidence')),
    thumbnail: extra.portrait.thumbnail,
    keyFrame: extra.portrait.keyFrame,
  };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
