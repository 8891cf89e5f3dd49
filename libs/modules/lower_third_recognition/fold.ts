import { FaceObservations, type FaceTrack } from '@adit/analyses/faces/observations';
import { TextObservations } from '@adit/analyses/text/observations';
import type { Box, PictureRef } from '@adit/contracts';
import { appearance, betterPortrait, boxDetection, boxMark, segmentOfInterval, IntervalFold } from '@adit/module-kit';
import { askAhead, type LabelDictionaries } from '@adit/dictionaries';
import type {
  FoldContext,
  FoldInput,
  Instant,
  SampledDetections,
  Portrait,
  Segment,
  Interval,
  IntervalSource,
  IntervalState,
} from '@adit/module-kit';
import { isLowerThird, lineBelow } from './lower-thirds.js';
import { foldName } from './names/fold-name.js';
import type { FoundName, NameFinder } from './names/find-name.js';
import { sameName } from './names/same-name.js';

/** Data of an interval: its best reading, the number of sightings, whether a face was there, and whose. */
type Gathered = {
  label: string;
  confidence: number;
  fromDictionary: boolean;
  samples: number;
  face: boolean;
  portrait: Portrait;
  /** Picture of the named person, where that is unambiguous. */
  person: PictureRef | null;
};

/** `names` are spellings given earlier, so that a later misreading is the same name. */
export type LowerThirdState = IntervalState<Gathered> & { names: string[] };

/** Remembered spellings; the oldest are dropped. */
const MAX_NAMES = 1_000;
/** Least number of samples that show a caption; a single one is a flash, or noise. */
const MIN_SAMPLES = 2;

/** Faces that count. */
export interface FaceRule {
  minSize: number;
  minSharpness: number;
  /** Captions count only while one is visible. */
  only: boolean;
  /** A person who is shown alone with a name becomes a training picture. */
  teaches: boolean;
}

/** Fold of names in lower thirds into segments, one per interval in which a name is visible. */
export class LowerThirdFold extends IntervalFold<Gathered, LowerThirdState> {
  /** A mark takes about 70 bytes, for its corners. */
  protected override readonly maxMarks = 8_000;

  constructor(
    private readonly find: NameFinder,
    private readonly rule: FaceRule,
    private readonly dictionaries: LabelDictionaries,
  ) {
    super();
  }

  prepare(call: () => unknown): Promise<void> {
    return askAhead([...this.find.dictionaries, this.dictionaries], call);
  }

  override start(context: FoldContext): LowerThirdState {
    return { ...super.start(context), names: [] };
  }

  protected detect({ observations }: FoldInput, state: LowerThirdState): SampledDetections<Gathered, LowerThirdState> {
    const text = TextObservations.parse(observations['text']);
    const shown = this.shown(text, state.names);
    const { only, teaches } = this.rule;
    const faces = only || teaches ? countingFaces(FaceObservations.parse(observations['faces']), this.rule) : NO_FACES;
    const names = new Set([...state.names, ...shown.map(({ name }) => name.name)]);
    return {
      sampled: text.sampled,
      detectionsAt: (at, frame) => {
        const here = shown.flatMap((one) => {
          const sighting = one.track.sightings.find((each) => each.frame === frame);
          return sighting === undefined ? [] : [{ ...one, sighting }];
        });
        const there = faces.get(frame) ?? [];
        // With several people or several names the assignment is ambiguous.
        const isPlain = teaches && there.length === 1 && new Set(here.map(({ name }) => name.name)).size === 1;
        const person = isPlain ? (there[0]?.thumbnail ?? null) : null;
        return here.map((one) => intervalOf(one, at, { face: !only || there.length > 0, person }));
      },
      state: { ...state, names: [...names].slice(-MAX_NAMES) },
    };
  }

  /** Returns lower thirds with a name, each in its earlier spelling. The surest reading comes first. */
  private shown({ tracks }: TextObservations, before: readonly string[]): Shown[] {
    const spellings = [...before];
    const captions = tracks.filter(isLowerThird).sort((a, b) => b.confidence - a.confidence || a.id - b.id);
    return captions.flatMap((track): Shown[] => {
      const found = this.find(track.text, lineBelow(track, captions)?.text);
      if (found === null) return [];
      const known = spellings.find((name) => sameName(name, found.name));
      if (known === undefined) spellings.push(found.name);
      return [{ name: { ...found, name: known ?? found.name }, track }];
    });
  }

  /** Two lines of one sample with one name count once. */
  protected merge(earlier: Gathered, later: Gathered, sameSample: boolean): Gathered {
    const surer = later.confidence > earlier.confidence ? later : earlier;
    return {
      label: surer.label,
      confidence: surer.confidence,
      fromDictionary: earlier.fromDictionary || later.fromDictionary,
      samples: earlier.samples + (sameSample ? 0 : later.samples),
      face: earlier.face || later.face,
      portrait: betterPortrait(earlier.portrait, later.portrait),
      // A name appears with its person; later the picture may show somebody else.
      person: earlier.person ?? later.person,
    };
  }

  /** Returns the segment of a name, unless a dictionary drops it, no face accompanied it, or it was a flash. */
  protected segmentOf(interval: Interval<Gathered>, source: IntervalSource): Segment | null {
    const { confidence, fromDictionary, face, samples, portrait, person, label: name } = interval.extra;
    const label = this.dictionaries.apply(name);
    if (label === null || !face || samples < (source.image ? 1 : MIN_SAMPLES)) return null;
    return segmentOfInterval(interval, source, {
      ...{ type: 'lower_third', label, confidence, portrait },
      meta: { label, from_dictionary: fromDictionary },
      ...(person && { teaches: { label, picture: person } }),
      detections: interval.marks.kept.map((mark) => boxDetection('text_bbox', mark, ...CORNERS)),
    });
  }
}

const NO_FACES: ReadonlyMap<number, FaceTrack[]> = new Map();

interface Shown {
  name: FoundName;
  track: TextObservations['tracks'][number];
}

const CORNERS = ['x1', 'y1', 'x2', 'y2', 'x3', 'y3', 'x4', 'y4'];

/** Returns the faces of the requested size and sharpness, by frame. A face is as sharp as its best view. */
function countingFaces({ tracks }: FaceObservations, { minSize, minSharpness }: FaceRule): Map<number, FaceTrack[]> {
  const frames = new Map<number, FaceTrack[]>();
  for (const track of tracks) {
    if (!track.views.some(({ size, sharpness }) => size >= minSize && sharpness >= minSharpness)) continue;
    for (const { frame, size } of track.sightings) {
      if (size >= minSize) frames.set(frame, [...(frames.get(frame) ?? []), track]);
    }
  }
  return frames;
}

/** Returns one sighting of a name as an interval. */
function intervalOf(
  {
    name: { name, fromDictionary },
    track: { confidence, thumbnail, keyFrame },
    sighting: { corners, frame },
  }: Shown & { sighting: Shown['track']['sightings'][number] },
  at: Instant,
  whom: Pick<Gathered, 'face' | 'person'>,
): Interval<Gathered> {
  const portrait: Portrait = { rank: keyFrame?.frame === frame ? confidence : 0, thumbnail, keyFrame };
  const gathered: Gathered = { label: name, confidence, fromDictionary, samples: 1, portrait, ...whom };
  return appearance(foldName(name), at, [boxMark(at.frame, boxAround(corners), ...corners)], gathered);
}

function boxAround(corners: readonly number[]): Box {
  const xs = corners.filter((_, i) => i % 2 === 0);
  const ys = corners.filter((_, i) => i % 2 === 1);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}
