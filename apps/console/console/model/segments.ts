import type { DetailedResult } from '@adit/client';

/** A place in a frame, as fractions of its width and height. */
export interface Box {
  frame: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A segment without its picture, which is read where it is shown. */
export interface Segment {
  /** Position in the results of the job. */
  index: number;
  /** As results call it. */
  module: string;
  /** What a lane of the timeline is made of: a person, a thing, a speaker. Empty where texts share a lane. */
  label: string;
  /** What was said or stood there. */
  text: string | null;
  /** Seconds. */
  start: number;
  end: number;
  /** Null of sound. */
  frameStart: number | null;
  frameEnd: number | null;
  tcStart: string;
  source: string;
  /** From 0 to 1; null where there is none. */
  confidence: number | null;
  /** In order of frames. */
  boxes: Box[];
}

/** Names of what says how sure a result is; of a whole segment first. */
const CONFIDENCE = ['mean_similarity', 'similarity', 'mean_confidence', 'confidence'];
const CAPTIONS = 'lower_third_recognition';

export function segmentOf(result: DetailedResult, index: number): Segment {
  const { meta, module } = result;
  const text = textOf(meta, 'text') ?? (module === CAPTIONS ? textOf(meta, 'label') : null);
  return {
    ...{ index, module, text },
    label: text === null ? labelOf(meta) : (textOf(meta, 'speaker') ?? ''),
    ...{ start: result.time_start, end: Math.max(result.time_start, result.time_end), source: result.source },
    ...{ frameStart: result.frame_start, frameEnd: result.frame_end, tcStart: result.tc_start },
    // Nobody is meant whom an unknown face would be similar to.
    confidence: meta['person'] === 'unknown' ? null : numberOf(meta, CONFIDENCE),
    boxes: boxesOf(result.detections),
  };
}

/** Name for people: the text, or the label. */
export function titleOf({ text, label, module }: Segment): string {
  if (text !== null) return label === '' ? text : `${label}: ${text}`;
  return label === '' ? module : label;
}

function labelOf(meta: DetailedResult['meta']): string {
  const { indexed_identity: identity, landmark } = meta;
  const own = textOf(meta, 'person') ?? textOf(meta, 'label') ?? textOf(landmark, 'name') ?? '';
  return own === 'unknown' ? (textOf(identity, 'label') ?? own) : own;
}

function textOf(holder: unknown, name: string): string | null {
  const value: unknown =
    typeof holder === 'object' && holder !== null
      ? Object.entries(holder).find(([key]) => key === name)?.[1]
      : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOf(meta: DetailedResult['meta'], names: string[]): number | null {
  const value = names.map((name) => meta[name]).find((each) => typeof each === 'number');
  return typeof value === 'number' ? value : null;
}

function boxesOf(detections: DetailedResult['detections']): Box[] {
  return detections
    .flatMap(({ frame_index: frame, data: { x, y, w, h } }) =>
      x === undefined || y === undefined || w === undefined || h === undefined ? [] : [{ frame, x, y, w, h }],
    )
    .sort((a, b) => a.frame - b.frame);
}

/** Where a segment is seen in a frame, between two places that are known on the line from one to the other; null outside of it. */
export function boxAt({ boxes, frameStart, frameEnd }: Segment, frame: number): Box | null {
  const first = boxes[0];
  if (first === undefined || frameStart === null || frameEnd === null) return null;
  if (frame < frameStart || frame > frameEnd) return null;
  let low = 0;
  let high = boxes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((boxes[middle]?.frame ?? Infinity) <= frame) low = middle;
    else high = middle - 1;
  }
  const before = boxes[low] ?? first;
  const after = boxes[low + 1];
  if (after === undefined || frame <= before.frame) return { ...before, frame };
  const part = (frame - before.frame) / (after.frame - before.frame);
  const between = (from: number, to: number): number => from + (to - from) * part;
  return {
    ...{ frame, x: between(before.x, after.x), y: between(before.y, after.y) },
    ...{ w: between(before.w, after.w), h: between(before.h, after.h) },
  };
}
