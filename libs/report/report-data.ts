import { setImmediate as turn } from 'node:timers/promises';
import type { Detection } from '@adit/contracts';
import { huesOf } from './colours.js';
import { PicturePool } from './picture-pool.js';
import type { ReportInput, ReportSegment, ReportSum } from './report-input.js';

/** So many pictures, or segments with their boxes, are taken between two turns of others. */
const AT_ONCE = 50;
const DEFAULT_BUDGET = 32 * 1024 * 1024;
/** Of one label, or of other faces, on one picture; more are a blur. */
const MOST_BOXES = 40;

/** A box as fractions of the frame: x, y, width, height. */
export type BoxData = [x: number, y: number, w: number, h: number];

/** A segment as the page's script reads it; pictures are numbers into `pictures`. */
export interface SegmentData extends Omit<ReportSegment, 'thumbnail' | 'keyFrame' | 'detections'> {
  detections: number;
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
  /** What is summed up or said of whole sources. */
  sums: ReportSum[];
  /** Hue by label, degrees; `unknown` has none. */
  hues: Record<string, number>;
  pictures: readonly string[];
  /** Segments of the job, shown or not. */
  total: number;
  /** Pictures that the budget had no room for. */
  omitted: number;
}

/** What the page embeds: the input in order of sources and time, pictures once each, only the boxes that are drawn. */
export async function reportData(input: ReportInput, budget: number = DEFAULT_BUDGET): Promise<ReportData> {
  const pool = new PicturePool(budget);
  const appearances = input.segments.filter((segment) => !saysOfWhole(segment, input));
  const whole = input.segments.filter((segment) => saysOfWhole(segment, input));
  const segments = [...appearances].sort((a, b) => a.sourceIndex - b.sourceIndex || a.timeStart - b.timeStart);
  const omitted = { count: 0 };
  const add = (jpeg: Uint8Array): number | null => {
    const id = pool.add(jpeg);
    if (id === null) omitted.count += 1;
    return id;
  };
  const thumbnails = new Map<ReportSegment, number | null>();
  const keyFrames = new Map<ReportSegment, number | null>();
  for (const [index, segment] of segments.entries()) {
    if (index % AT_ONCE === 0) await turn();
    if (segment.thumbnail !== null) thumbnails.set(segment, add(segment.thumbnail));
  }
  const longestFirst = [...segments].sort((a, b) => b.timeEnd - b.timeStart - (a.timeEnd - a.timeStart));
  for (const [index, segment] of longestFirst.entries()) {
    if (index % AT_ONCE === 0) await turn();
    if (segment.keyFrame !== null) keyFrames.set(segment, add(segment.keyFrame.jpeg));
  }
  const faces = await facesByFrame(segments, input);
  await turn();
  return {
    job: input.job,
    sources: input.sources,
    segments: segments.map((segment, index) => ({
      ...segment,
      detections: segment.detections.length,
      thumbnail: thumbnails.get(segment) ?? null,
      keyFrame: keyFrameData(segment, keyFrames.get(segment) ?? null, (frame) =>
        (faces.get(`${segment.sourceIndex}:${frame}`) ?? []).filter(([face]) => face !== index),
      ),
    })),
    sums: [
      ...(input.sums ?? []),
      ...whole.map(({ sourceIndex, type, label }) => ({ sourceIndex, type, label, meta: {} })),
    ],
    hues: Object.fromEntries(huesOf(segments.map((segment) => segment.label).filter((label) => label !== 'unknown'))),
    pictures: pool.encoded(),
    total: Math.max((input.segmentTotal ?? 0) - whole.length, segments.length),
    omitted: omitted.count,
  };
}

/** A segment over all of a film is no appearance of anybody. */
function saysOfWhole({ type, sourceIndex }: ReportSegment, { sources }: ReportInput): boolean {
  const mediaType = sources[sourceIndex]?.mediaType;
  return type === 'gender_neutrality' && mediaType !== 'image' && mediaType !== 'pdf';
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

/** Whose faces are where, by source and frame; of films, whose frames several segments are shown by. */
async function facesByFrame(
  segments: readonly ReportSegment[],
  { sources }: ReportInput,
): Promise<Map<string, Face[]>> {
  const faces = new Map<string, Face[]>();
  for (const [index, { type, sourceIndex, detections }] of segments.entries()) {
    if (index % AT_ONCE === 0) await turn();
    const mediaType = sources[sourceIndex]?.mediaType;
    if (type !== 'face' || mediaType === 'image' || mediaType === 'pdf') continue;
    for (const { frame_index, data } of detections) {
      const { x, y, w, h } = data;
      if (x === undefined || y === undefined || w === undefined || h === undefined) continue;
      const key = `${sourceIndex}:${frame_index}`;
      const on = faces.get(key) ?? [];
      if (on.length < MOST_BOXES) on.push([index, [x, y, w, h]]);
      faces.set(key, on);
    }
  }
  return faces;
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
  return boxes.slice(0, MOST_BOXES);
}
