import { gapOfMedia, isLiveStream, pictureIndex, type Json } from '@adit/contracts';
import type { Fold, FoldContext, FoldInput, FoldStep } from './module.js';
import type { Portrait } from './portrait.js';
import type { ClosedSource, OpenSegment, Segment } from './segment.js';
import { bridges, instantsOf, MAX_DETECTIONS, takeAll, takeFinal } from './intervals.js';
import type { Instant, Interval } from './intervals.js';
import { appendMark, fitBudget } from './thinning.js';

/** JSON: at most 1 MiB. `open` holds the intervals that may still continue, by key. */
export type IntervalState<Extra extends Json> = {
  source: number;
  /** Samples processed so far. */
  samples: number;
  open: Interval<Extra>[];
};

/** Detections of a module in one unit's observations. */
export interface SampledDetections<Extra extends Json, State> {
  /** Every sampled frame; one for a picture. */
  sampled: readonly { frame: number; time: number }[];
  /**
   * Returns the detections in sampled frame `frame`, each as an interval of that frame alone (`appearance`), numbered
   * by `at.frame`: the frame of a film, or a picture's index in the job. `goingOn` returns the data of the open
   * interval of a key that a sighting in this frame would continue, null where it would begin one.
   */
  detectionsAt(at: Instant, frame: number, goingOn: (key: string) => Extra | null): Interval<Extra>[];
  /** New state, when detection itself keeps something in it. */
  state?: State;
}

/** Source of a segment: its index in the job, and whether it is a picture. */
export interface IntervalSource {
  index: number;
  image: boolean;
}

/**
 * Fold of every module that reports when something is visible: sightings of one key in consecutive frames form one
 * interval, which becomes a segment when nothing later can extend it. Frames are processed one by one, so units may cut
 * the source anywhere; a picture is a unit of its own.
 */
export abstract class IntervalFold<
  Extra extends Json,
  State extends IntervalState<Extra> = IntervalState<Extra>,
> implements Fold<State> {
  /** Detections kept open altogether; one takes about 36 bytes of state, and 4 more per further number. */
  protected readonly maxMarks: number = 20_000;

  /** Returns the detections in the observations, after thresholds and dictionaries. */
  protected abstract detect(input: FoldInput, state: State): SampledDetections<Extra, State>;

  /** Merges the data of an interval that continues. `sameSample`: both were seen in one frame. */
  protected abstract merge(earlier: Extra, later: Extra, sameSample: boolean): Extra;

  /** Returns the segment for clients; null for an omitted interval. */
  protected abstract segmentOf(interval: Interval<Extra>, source: IntervalSource): Segment | null;

  start({ sourceIndex }: FoldContext): State {
    const open: Interval<Extra>[] = [];
    // A fold with more state overrides its start.
    return { source: sourceIndex ?? 0, samples: 0, open } as State;
  }

  fold(state: State, input: FoldInput, { rate }: Pick<FoldContext, 'rate'> = {}): FoldStep<State> {
    const { sampled, detectionsAt, state: next = state } = this.detect(input, state);
    const { unit } = input;
    if (unit.facts.kind === 'image') {
      const index = pictureIndex(unit);
      const at: Instant = { frame: index, time: 0, sample: index };
      const open: Interval<Extra>[] = [];
      for (const { frame } of sampled) for (const seen of detectionsAt(at, frame, () => null)) this.extend(open, seen);
      return { state, segments: this.segmentsOf(takeAll(open), { index: unit.sourceIndex, image: true }) };
    }
    const instants = instantsOf(sampled, state.samples, gapOfMedia(unit.facts, rate));
    // The state belongs to the caller, so growing parts are copied.
    const open = state.open.map((interval) => ({
      ...interval,
      marks: { ...interval.marks, kept: [...interval.marks.kept] },
    }));
    let last: Instant | null = null;
    for (const [frame, at] of instants) {
      const goingOn = (key: string): Extra | null => openInterval(open, key, at)?.extra ?? null;
      for (const seen of detectionsAt(at, frame, goingOn)) this.extend(open, seen);
      last = at;
    }
    const final = last === null ? [] : takeFinal(open, last);
    fitBudget(
      open.map(({ marks }) => marks),
      this.maxMarks,
    );
    return {
      state: { ...next, samples: state.samples + instants.size, open },
      segments: this.segmentsOf(final, { index: state.source, image: false }, isLiveStream(unit.facts)),
    };
  }

  open({ open, source }: State): OpenSegment[] {
    return open.flatMap((interval) => {
      const segment = this.segmentOf(interval, { index: source, image: false });
      return segment === null ? [] : [{ ...segment, key: keyOf(interval) }];
    });
  }

  close({ open, source }: State, context?: Pick<FoldContext, 'facts'>): ClosedSource {
    const isLive = context !== undefined && isLiveStream(context.facts);
    const segments = this.segmentsOf(takeAll([...open]), { index: source, image: false }, isLive);
    return { segments, summaries: [] };
  }

  /** Extends the open interval of its key, or begins another. */
  private extend(open: Interval<Extra>[], added: Interval<Extra>): void {
    const interval = openInterval(open, added.key, added.start);
    if (interval === undefined) {
      open.push(added);
      return;
    }
    interval.extra = this.merge(interval.extra, added.extra, interval.end.sample === added.end.sample);
    interval.end = added.end;
    for (const mark of added.marks.kept) appendMark(interval.marks, mark, MAX_DETECTIONS);
  }

  private segmentsOf(intervals: readonly Interval<Extra>[], source: IntervalSource, isLive = false): Segment[] {
    return intervals.flatMap((interval) => {
      const segment = this.segmentOf(interval, source);
      if (segment === null) return [];
      return isLive ? { ...segment, key: keyOf(interval) } : segment;
    });
  }
}

/** Key of an interval for as long as it is open: its start stays. */
function keyOf({ key, start }: Interval<Json>): string {
  return `${start.frame}/${key}`;
}

/** Returns the interval that a sighting of that key at `at` continues. */
function openInterval<Extra extends Json>(
  open: readonly Interval<Extra>[],
  key: string,
  at: Instant,
): Interval<Extra> | undefined {
  return open.find((interval) => interval.key === key && bridges(interval.end, at));
}

/** Returns the segment of an interval: its times and frames, and the module's own fields. */
export function segmentOfInterval(
  { start, end }: { start: Pick<Instant, 'frame' | 'time'>; end: Pick<Instant, 'frame' | 'time'> },
  source: Pick<IntervalSource, 'index'>,
  {
    portrait,
    detections = [],
    ...said
  }: Pick<Segment, 'type' | 'label' | 'confidence' | 'meta'> &
    Partial<Pick<Segment, 'detections' | 'claim' | 'face' | 'teaches'>> & {
      portrait: Pick<Portrait, 'thumbnail' | 'keyFrame'>;
    },
): Segment {
  return {
    sourceIndex: source.index,
    frameStart: start.frame,
    frameEnd: end.frame,
    timeStart: start.time,
    timeEnd: end.time,
    ...said,
    detections,
    // Without a picture of its own it is shown by the whole frame.
    thumbnail: portrait.thumbnail ?? portrait.keyFrame?.picture ?? null,
    keyFrame: portrait.keyFrame,
  };
}
