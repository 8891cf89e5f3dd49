import type { Detection } from '@adit/contracts';
import { inTimeSlices, passedInTimeSlices } from '@adit/runtime';
import { ahead } from './ahead.js';
import { huesOf } from './colours.js';
import { PicturePool } from './picture-pool.js';
import type { ReadPicture, ReportInput, ReportSegment, ReportSummary } from './report-input.js';
import { ALL_WORDS, spokenWords, type SpokenWords } from './spoken-words.js';
import { fairShare, MAX_BOXES, trackOf, type Track } from './tracks.js';

const DEFAULT_BUDGET = 32 * 1024 * 1024;

/** A box as fractions of the frame: x, y, width, height. */
type BoxData = [x: number, y: number, w: number, h: number];

/** A segment as the page's script reads it; pictures are numbers into `pictures`. */
export interface SegmentData extends Omit<ReportSegment, 'thumbnail' | 'keyFrame' | 'detections'> {
  detections: number;
  /** Positions while the film plays; missing for pictures. */
  track?: Track;
  /** When the words of `meta.text` are said. */
  words?: SpokenWords;
  thumbnail: number | null;
  keyFrame: {
    frame: number;
    picture: number;
    width: number;
    height: number;
    boxes: BoxData[];
    /** Faces of other segments on the same frame of a film, by the number of the segment. */
    faces: [segment: number, box: BoxData][];
  } | null;
}

export interface ReportData {
  job: ReportInput['job'];
  sources: ReportInput['sources'];
  segments: SegmentData[];
  /** Results about whole sources. */
  summaries: ReportSummary[];
  /** Hue by label, degrees; `unknown` has none. */
  hues: Record<string, number>;
  /** JPEGs. */
  pictures: readonly Buffer[];
  /** Segments of the job, shown or not. */
  total: number;
  /** Pictures that the budget had no room for. */
  omitted: number;
}

/**
 * Builds the data that the page embeds: the input in order of sources and time, pictures once each, only the boxes that
 * are drawn.
 */
export async function reportData(input: ReportInput, budget: number = DEFAULT_BUDGET): Promise<ReportData> {
  const segments = input.segments
    .filter((segment) => !saysOfWhole(segment, input))
    .sort((a, b) => a.sourceIndex - b.sourceIndex || a.timeStart - b.timeStart);
  const shown = await shownPictures(segments, budget);
  return inTimeSlices(dataOf(input, segments, shown));
}

interface ShownPictures {
  /** Numbers of pictures; null for those that the budget had no room for. */
  thumbnails: Map<ReportSegment, number | null>;
  keyFrames: Map<ReportSegment, number | null>;
  pictures: readonly Buffer[];
  omitted: number;
}

/** A face of everybody comes first, then the other thumbnails, then key frames, of the longest segments first. */
async function shownPictures(segments: ReportSegment[], budget: number): Promise<ShownPictures> {
  const pool = new PicturePool(budget);
  let omitted = 0;
  const shown = async (ordered: ReportSegment[], readOf: (segment: ReportSegment) => ReadPicture | null) => {
    const ids = new Map<ReportSegment, number | null>();
    const read = async (segment: ReportSegment) => ({ segment, jpeg: (await readOf(segment)?.()) ?? null });
    for await (const { segment, jpeg } of passedInTimeSlices(ahead(ordered, read))) {
      if (jpeg === null) continue;
      const id = pool.add(jpeg);
      if (id === null) omitted += 1;
      ids.set(segment, id);
    }
    return ids;
  };
  const longestFirst = [...segments].sort((a, b) => b.timeEnd - b.timeStart - (a.timeEnd - a.timeStart));
  const faces = new Map<string, ReportSegment>();
  for (const segment of segments) {
    const key = `${segment.type}\n${segment.label}`;
    const best = faces.get(key);
    if (segment.thumbnail !== null && (best === undefined || segment.confidence > best.confidence))
      faces.set(key, segment);
  }
  const everybody = new Set(faces.values());
  const ordered = [...everybody, ...segments.filter((segment) => !everybody.has(segment))];
  const thumbnails = await shown(ordered, ({ thumbnail }) => thumbnail);
  const keyFrames = await shown(longestFirst, ({ keyFrame }) => keyFrame?.jpeg ?? null);
  return { thumbnails, keyFrames, pictures: pool.pictures(), omitted };
}

function* dataOf(
  input: ReportInput,
  segments: ReportSegment[],
  { thumbnails, keyFrames, pictures, omitted }: ShownPictures,
): Generator<void, ReportData> {
  const faces = yield* facesOnPictures(segments, input, keyFrames);
  const shown: SegmentData[] = [];
  const films = segments.filter(({ sourceIndex }) => !isStill(input.sources[sourceIndex]));
  const most = fairShare(films.map(({ detections }) => detections.length));
  let wordsLeft = ALL_WORDS;
  for (const [index, segment] of segments.entries()) {
    yield;
    const { words: said, words_hidden: _, ...meta } = segment.meta;
    const words = spokenWords(meta['text'], said);
    const track = isStill(input.sources[segment.sourceIndex]) ? [] : trackOf(segment.detections, most);
    const timed = words !== null && words.length / 4 <= wordsLeft;
    if (timed) wordsLeft -= words.length / 4;
    shown.push({
      ...segment,
      meta,
      detections: segment.detections.length,
      ...(track.length > 0 && { track }),
      ...(timed && { words }),
      thumbnail: thumbnails.get(segment) ?? null,
      keyFrame: keyFrameData(segment, keyFrames.get(segment) ?? null, (frame) =>
        (faces.get(frameKey(segment.sourceIndex, frame)) ?? []).filter(([face]) => face !== index),
      ),
    });
  }
  const whole = input.segments.filter((segment) => saysOfWhole(segment, input));
  return {
    job: input.job,
    sources: input.sources,
    segments: shown,
    summaries: [
      ...(input.summaries ?? []),
      ...whole.map(({ sourceIndex, type, label }) => ({ sourceIndex, type, label, meta: {} })),
    ],
    hues: Object.fromEntries(huesOf(labelsAsShown(segments))),
    pictures,
    total: Math.max((input.segmentTotal ?? 0) - whole.length, segments.length),
    omitted,
  };
}

/** Who and what has a colour, about in the order of the page: faces first, then the longest shown. */
function labelsAsShown(segments: readonly ReportSegment[]): string[] {
  const shown = new Map<string, { isFace: boolean; seconds: number }>();
  for (const { type, label, timeStart, timeEnd } of segments) {
    if (label === 'unknown') continue;
    const { isFace, seconds } = shown.get(label) ?? { isFace: false, seconds: 0 };
    shown.set(label, { isFace: isFace || type === 'face', seconds: seconds + timeEnd - timeStart });
  }
  const order = [...shown].sort(([, a], [, b]) => Number(b.isFace) - Number(a.isFace) || b.seconds - a.seconds);
  return order.map(([label]) => label);
}

/** A segment over all of a film or a document is no appearance of anybody. */
function saysOfWhole({ type, sourceIndex }: ReportSegment, { sources }: ReportInput): boolean {
  return type === 'gender_neutrality' && sources[sourceIndex]?.mediaType !== 'image';
}

/** Pictures do not play. */
function isStill(source: ReportInput['sources'][number] | undefined): boolean {
  return source?.mediaType === 'image' || source?.mediaType === 'pdf';
}

function keyFrameData(
  segment: ReportSegment,
  picture: number | null,
  facesOn: (frame: number) => Face[],
): SegmentData['keyFrame'] {
  if (segment.keyFrame === null || picture === null) return null;
  const { frame, width, height } = segment.keyFrame;
  return { frame, picture, width, height, boxes: boxesAt(segment.detections, frame), faces: facesOn(frame) };
}

type Face = [segment: number, box: BoxData];

/** Whose faces are where on the pictures, by source and frame; of films, whose frames several segments are shown by. */
function* facesOnPictures(
  segments: readonly ReportSegment[],
  { sources }: ReportInput,
  keyFrames: ReadonlyMap<ReportSegment, number | null>,
): Generator<void, Map<string, Face[]>> {
  const faces = new Map<string, Face[]>();
  for (const [{ sourceIndex, keyFrame }, picture] of keyFrames) {
    if (keyFrame !== null && picture !== null) faces.set(frameKey(sourceIndex, keyFrame.frame), []);
  }
  for (const [index, { type, sourceIndex, detections }] of segments.entries()) {
    yield;
    if (type !== 'face' || isStill(sources[sourceIndex])) continue;
    for (const { frame_index, data } of detections) {
      const on = faces.get(frameKey(sourceIndex, frame_index));
      const { x, y, w, h } = data;
      if (on === undefined || x === undefined || y === undefined || w === undefined || h === undefined) continue;
      if (on.length < MAX_BOXES) on.push([index, [x, y, w, h]]);
    }
  }
  return faces;
}

function frameKey(sourceIndex: number, frame: number): string {
  return `${sourceIndex}:${frame}`;
}

/** The boxes on the frame, or on the nearest one in time when thinning took that frame's. */
function boxesAt(detections: readonly Detection[], frame: number): BoxData[] {
  let away = Infinity;
  let nearest = -1;
  let boxes: BoxData[] = [];
  for (const { frame_index, data } of detections) {
    const { x, y, w, h } = data;
    if (x === undefined || y === undefined || w === undefined || h === undefined) continue;
    const distance = Math.abs(frame_index - frame);
    if (distance < away || (distance === away && frame_index < nearest)) {
      away = distance;
      nearest = frame_index;
      boxes = [];
    }
    if (frame_index === nearest) boxes.push([x, y, w, h]);
  }
  return boxes.slice(0, MAX_BOXES);
}
