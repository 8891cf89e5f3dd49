import type { FaceObservations } from '@adit/analyses/faces/observations';
import type { TextObservations } from '@adit/analyses/text/observations';
import type { Box } from '@adit/contracts';
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
  LabelDictionaries,
  Portrait,
  Segment,
  Stretch,
} from '@adit/mining';
import { FaceObservations as FaceSchema } from '@adit/analyses/faces/observations';
import { TextObservations as TextSchema } from '@adit/analyses/text/observations';
import { isLowerThird } from './lower-thirds.js';
import { foldName } from './names/fold-name.js';
import type { FoundName, NameFinder } from './names/find-name.js';
import { sameName } from './names/same-name.js';

/** What a stretch keeps: its best reading, how often it was seen, whether a face was there. */
type Gathered = {
  label: string;
  confidence: number;
  fromDictionary: boolean;
  samples: number;
  face: boolean;
  portrait: Portrait;
};

/** JSON: at most 1 MiB. `names` are spellings that were given already, so that a misread one later is the same name. */
export type LowerThirdState = { source: number; samples: number; open: Stretch<Gathered>[]; names: string[] };

/** A mark takes about 70 bytes. */
export const MAX_MARKS = 8_000;
/** Spellings remembered; the oldest go. */
const MAX_NAMES = 1_000;
/** A caption is seen in so many samples of a film at least; one alone is a flash, or noise. */
const MIN_SAMPLES = 2;

/** Which faces count; null when captions count without one. */
export interface FaceRule {
  minSize: number;
  minSharpness: number;
}

/** Names in lower thirds to segments, one for each stretch of time in which a name is shown. */
export class LowerThirdFold implements Fold<LowerThirdState> {
  constructor(
    private readonly find: NameFinder,
    private readonly faces: FaceRule | null,
    private readonly dictionaries: LabelDictionaries,
  ) {}

  start({ sourceIndex }: FoldContext): LowerThirdState {
    return { source: sourceIndex ?? 0, samples: 0, open: [], names: [] };
  }

  fold(state: LowerThirdState, { unit, observations }: FoldInput): FoldStep<LowerThirdState> {
    const text = TextSchema.parse(observations['text']);
    const shown = this.shown(text, state.names);
    const faceAt = this.faces === null ? null : facedFrames(FaceSchema.parse(observations['faces']), this.faces);
    if (unit.facts.kind === 'image') {
      const at: Instant = { frame: unit.sourceIndex, time: 0, sample: unit.sourceIndex };
      const open: Stretch<Gathered>[] = [];
      for (const { name, track } of shown) goOn(open, stretchOf(name, track, 0, at, faceAt?.has(0) ?? true));
      return { state, segments: takeAll(open).flatMap((stretch) => this.emitted(stretch, unit.sourceIndex, 1)) };
    }
    const instants = instantsOf(text.sampled, state.samples);
    const open = state.open.map((stretch) => ({
      ...stretch,
      marks: { ...stretch.marks, kept: [...stretch.marks.kept] },
    }));
    let last: Instant | null = null;
    for (const [frame, at] of instants) {
      for (const { name, track } of shown) {
        const sighting = track.sightings.findIndex((each) => each.frame === frame);
        if (sighting >= 0) goOn(open, stretchOf(name, track, sighting, at, faceAt?.has(frame) ?? true));
      }
      last = at;
    }
    const final = last === null ? [] : takeFinal(open, last);
    fitBudget(
      open.map(({ marks }) => marks),
      MAX_MARKS,
    );
    const names = new Set([...state.names, ...shown.map(({ name }) => name.name)]);
    return {
      state: { ...state, samples: state.samples + instants.size, open, names: [...names].slice(-MAX_NAMES) },
      segments: final.flatMap((stretch) => this.emitted(stretch, state.source, MIN_SAMPLES)),
    };
  }

  close({ open, source }: LowerThirdState): ClosedSource {
    const segments = takeAll([...open]).flatMap((stretch) => this.emitted(stretch, source, MIN_SAMPLES));
    return { segments, summaries: [] };
  }

  /** Lower thirds with a name, each under the spelling that was given to it before. The surest reading speaks first. */
  private shown({ tracks }: TextObservations, before: readonly string[]): Shown[] {
    const spellings = [...before];
    const captions = tracks.filter(isLowerThird).sort((a, b) => b.confidence - a.confidence || a.id - b.id);
    return captions.flatMap((track): Shown[] => {
      const found = this.find(track.text);
      if (found === null) return [];
      const known = spellings.find((name) => sameName(name, found.name));
      if (known === undefined) spellings.push(found.name);
      return [{ name: { ...found, name: known ?? found.name }, track }];
    });
  }

  /** A name's segment, unless a dictionary leaves it out, no face went with it, or it was a flash. */
  private emitted(stretch: Stretch<Gathered>, sourceIndex: number, minSamples: number): Segment[] {
    const { start, end, marks, extra } = stretch;
    const label = this.dictionaries.apply(extra.label);
    if (label === null || !extra.face || extra.samples < minSamples) return [];
    return [
      {
        sourceIndex,
        frameStart: start.frame,
        frameEnd: end.frame,
        timeStart: start.time,
        timeEnd: end.time,
        type: 'lower_third',
        label,
        confidence: extra.confidence,
        meta: { label, from_dictionary: extra.fromDictionary },
        detections: marks.kept.map((mark) => boxDetection('text_bbox', mark, ...CORNERS)),
        thumbnail: extra.portrait.thumbnail,
        keyFrame: extra.portrait.keyFrame,
      },
    ];
  }
}

interface Shown {
  name: FoundName;
  track: TextObservations['tracks'][number];
}

const CORNERS = ['x1', 'y1', 'x2', 'y2', 'x3', 'y3', 'x4', 'y4'];

/** Frames that show a face of the size and sharpness asked for. A face is as sharp as its best view. */
function facedFrames({ tracks }: FaceObservations, { minSize, minSharpness }: FaceRule): Set<number> {
  const frames = new Set<number>();
  for (const { sightings, views } of tracks) {
    if (!views.some(({ size, sharpness }) => size >= minSize && sharpness >= minSharpness)) continue;
    for (const { frame, size } of sightings) if (size >= minSize) frames.add(frame);
  }
  return frames;
}

/** One sighting of a name as a stretch. */
function stretchOf(
  { name, fromDictionary }: FoundName,
  { confidence, sightings, thumbnail, keyFrame }: Shown['track'],
  index: number,
  at: Instant,
  face: boolean,
): Stretch<Gathered> {
  const { corners, frame } = sightings[index] as Shown['track']['sightings'][number];
  const portrait: Portrait = { rank: keyFrame?.frame === frame ? confidence : 0, thumbnail, keyFrame };
  const gathered: Gathered = { label: name, confidence, fromDictionary, samples: 1, face, portrait };
  return appearance(foldName(name), at, [boxMark(at.frame, boxAround(corners), ...corners)], gathered);
}

function boxAround(corners: readonly number[]): Box {
  const xs = corners.filter((_, i) => i % 2 === 0);
  const ys = corners.filter((_, i) => i % 2 === 1);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}

/** Continues the open stretch of its name, or begins another. Two lines of one sample with one name count once. */
function goOn(open: Stretch<Gathered>[], added: Stretch<Gathered>): void {
  const before = open.find(({ key, end }) => key === added.key && bridges(end, added.start));
  if (before === undefined) {
    open.push(added);
    return;
  }
  const again = before.end.sample === added.end.sample;
  before.extra = gather(before.extra, added.extra, again);
  before.end = added.end;
  for (const mark of added.marks.kept) appendMark(before.marks, mark, MAX_DETECTIONS);
}

function gather(earlier: Gathered, later: Gathered, sameSample: boolean): Gathered {
  const surer = later.confidence > earlier.confidence ? later : earlier;
  return {
    label: surer.label,
    confidence: surer.confidence,
    fromDictionary: earlier.fromDictionary || later.fromDictionary,
    samples: earlier.samples + (sameSample ? 0 : later.samples),
    face: earlier.face || later.face,
    portrait: betterPortrait(earlier.portrait, later.portrait),
  };
}
