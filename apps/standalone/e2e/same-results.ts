import type { DetailedResult } from '@adit/contracts';
import { expect } from '@jest/globals';

/** Batches of other sizes add up in another order, which may turn the last of four digits. */
const DIGITS = 3;

/** Expects the same segments of the same sources, whatever the order in which sources took turns. */
export function expectSameResults(found: DetailedResult[], wanted: DetailedResult[]): void {
  expect(found.map(placeOf).sort()).toEqual(wanted.map(placeOf).sort());
  const others = new Map(wanted.map((segment) => [placeOf(segment), segment]));
  for (const segment of found) {
    const other = others.get(placeOf(segment))!;
    const { detections, meta, thumbnail, ...rest } = segment;
    expect(rest).toEqual({ ...other, detections: undefined, meta: undefined, thumbnail: undefined });
    expect(thumbnail?.meta).toEqual(other.thumbnail?.meta);
    expect(meta['person']).toEqual(other.meta['person']);
    expect(detections.map(({ frame_index }) => frame_index)).toEqual(
      other.detections.map(({ frame_index }) => frame_index),
    );
    detections.forEach(({ data }, index) => {
      for (const [name, value] of Object.entries(data)) {
        expect(value).toBeCloseTo(other.detections[index]!.data[name]!, DIGITS);
      }
    });
  }
}

/** Identity of a segment within its job: module, source, frames, and place in the first frame. */
export function placeOf({ module, source, frame_start, frame_end, meta, detections }: DetailedResult): string {
  const { x, y } = detections[0]!.data;
  return [module, source, frame_start, frame_end, meta['person'], x!.toFixed(2), y!.toFixed(2)].join(' ');
}
