import type { ObjectObservations } from '@adit/analyses/objects/observations';
import type { Box } from '@adit/contracts';
import { intersectionOverUnion, NO_PORTRAIT } from '@adit/module-kit';
import type { Portrait } from '@adit/module-kit';
import type { Naming } from './labels.js';

/** An object, a scene or a caption in one frame, under the client's label. */
export interface Seen {
  type: 'object' | 'scene' | 'caption';
  label: string;
  /** Null for results about the whole frame. */
  box: Box | null;
  /** 0..1 */
  confidence: number;
  /** False for results slightly below the threshold, which continue an interval but never begin one. */
  sure: boolean;
  /** Picture of the track, where this frame shows it best. */
  portrait: Portrait;
}

/** Overlap above which two boxes of different labels are one object: the surer label counts. */
const ONE_THING = 0.75;
/** Largest drop below the threshold at which an object continues: somebody leans back, or turns round. */
const FADING = 0.3;

/** Share of a face from which an object is no animal and no car. Of 85 photos of animals the highest share was 0.31. */
const MAX_FACE_SHARE = 0.4;

/**
 * Returns the results in each sampled frame of a unit: sure enough or nearly so, one label per object, not dropped by a
 * dictionary.
 */
export function seenByFrame(
  { tracks }: ObjectObservations,
  minConfidence: number,
  confidenceOf: (score: number) => number,
  naming: Naming,
): Map<number, Seen[]> {
  const byFrame = new Map<number, { kind: string; box: Box; seen: Omit<Seen, 'label'> }[]>();
  const things = tracks.filter(({ face }) => face === null || face < MAX_FACE_SHARE);
  for (const { label: kind, sightings, thumbnail, keyFrame } of things) {
    for (const { frame, box, score } of sightings) {
      const confidence = confidenceOf(score);
      if (confidence < minConfidence - FADING) continue;
      const sure = confidence >= minConfidence;
      const portrait = sure && keyFrame?.frame === frame ? { rank: confidence, thumbnail, keyFrame } : NO_PORTRAIT;
      byFrame.set(frame, [
        ...(byFrame.get(frame) ?? []),
        { kind, box, seen: { type: 'object', box, confidence, sure, portrait } },
      ]);
    }
  }
  const named = new Map<number, Seen[]>();
  for (const [frame, found] of byFrame) {
    const surest = found.sort((a, b) => b.seen.confidence - a.seen.confidence || (a.kind < b.kind ? -1 : 1));
    const kept: typeof found = [];
    for (const one of surest) {
      const taken = kept.some(
        (other) => other.kind !== one.kind && intersectionOverUnion(other.box, one.box) > ONE_THING,
      );
      if (!taken) kept.push(one);
    }
    const seen = kept.flatMap(({ kind, seen }): Seen[] => {
      const label = naming(kind);
      return label === null ? [] : [{ label, ...seen }];
    });
    named.set(frame, seen);
  }
  return named;
}
