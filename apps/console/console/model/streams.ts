import type { DetailedResult, LiveStream } from '@adit/client';
import { segmentOf, titleOf } from './segments.js';

/** Seconds behind the wall clock from which a stream is late. */
const LATE_SECONDS = 15;
/** Decoded parts from which the analysis falls behind. */
const MANY_PARTS = 20;

/** ended · waiting: for a recorder · connecting: no picture yet · late: nothing new arrives · behind: analysis is too slow · good. */
export type Condition = 'ended' | 'waiting' | 'connecting' | 'late' | 'behind' | 'good';

export function conditionOf({ reading, lag, waiting_parts: parts }: LiveStream): Condition {
  if (reading === 'ended') return 'ended';
  if (lag === null) return reading === 'reading' ? 'connecting' : 'waiting';
  if (lag > LATE_SECONDS) return reading === 'reading' ? 'late' : 'waiting';
  return parts > MANY_PARTS ? 'behind' : 'good';
}

/** How far a stream was, and when. */
export type Look = Pick<LiveStream, 'position' | 'frames'>;

/** Pictures of a second of stream time between two looks; null where nothing new was handed on. */
export function rateBetween(before: Look | undefined, now: Look): number | null {
  if (before === undefined || now.position <= before.position || now.frames < before.frames) return null;
  return (now.frames - before.frames) / (now.position - before.position);
}

export interface FoundBox {
  label: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** What is in a frame, of results whose detections say where. */
export function boxesIn(results: readonly DetailedResult[], frame: number): FoundBox[] {
  return results.flatMap((result, index) => {
    const segment = segmentOf(result, index);
    return segment.boxes
      .filter((box) => box.frame === frame)
      .map(({ x, y, w, h }) => ({ label: titleOf(segment), x, y, w, h }));
  });
}

/** What the service says is wrong with a field of the form, by the field; `other` is about none of them. */
export type StreamFaults = Partial<Record<'address' | 'modules' | 'record' | 'tag' | 'other', string>>;

const FIELDS: [RegExp, keyof StreamFaults][] = [
  [/^\/(sources|media_type)/, 'address'],
  [/^\/modules/, 'modules'],
  [/^\/record/, 'record'],
  [/^\/tag/, 'tag'],
];

/** @param message what is said where no field is named */
export function faultsOf(errors: readonly { pointer: string; message: string }[], message: string): StreamFaults {
  const faults: StreamFaults = {};
  for (const error of errors) {
    const field = FIELDS.find(([pattern]) => pattern.test(error.pointer))?.[1] ?? 'other';
    faults[field] = faults[field] === undefined ? error.message : `${faults[field]} ${error.message}`;
  }
  return errors.length === 0 ? { other: message } : faults;
}
