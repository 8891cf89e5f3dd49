import type { DetailedResult } from '@adit/contracts';
import type { Cell } from '@adit/csv';

/** A segment with what a table shows beside it. */
interface TableSegment {
  result: DetailedResult;
  type: string;
  label: string;
  /** 0..1. */
  confidence: number;
}

export const RESULT_COLUMNS = [
  'source_name',
  'source',
  'media_type',
  'module',
  'type',
  'label',
  'confidence',
  'frame_start',
  'frame_end',
  'time_start',
  'time_end',
  'tc_start',
  'tc_end',
  'meta',
];

/** A row under RESULT_COLUMNS. Boxes and pictures have no place in a table. */
export function resultRow({ result, type, label, confidence }: TableSegment): Cell[] {
  const { source_name: name, source, media_type, module, meta } = result;
  const { frame_start, frame_end, time_start, time_end, tc_start, tc_end } = result;
  return [
    ...[name, source, media_type, module, type, label, confidence],
    ...[frame_start, frame_end, time_start, time_end, tc_start, tc_end, JSON.stringify(meta)],
  ];
}
