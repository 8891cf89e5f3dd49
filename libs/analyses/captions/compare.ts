import { comparePictures, type ComparedPicture, type Comparison, type MatchSeen } from '@adit/inference';
import type { CaptionObservations } from './observations.js';

/** Share of common words (Dice's coefficient) from which two sentences match. */
const SAME_FROM = 0.75;

/** Compares two versions' descriptions of the same frames. Each description counts, whatever its confidence. */
export function compareCaptions(stable: CaptionObservations, candidate: CaptionObservations): Comparison {
  const [ours, theirs] = [picturesOf(stable), picturesOf(candidate)];
  return comparePictures(ours, theirs, { match, sureFrom: 0, countedAs: 'caption' });
}

const match: MatchSeen = ([left], [right]) =>
  left !== undefined && right !== undefined && likeness(left.label, right.label) >= SAME_FROM ? [{ left, right }] : [];

function likeness(one: string, other: string): number {
  const [ours, theirs] = [wordsOf(one), wordsOf(other)];
  const common = [...ours].filter((word) => theirs.has(word)).length;
  const all = ours.size + theirs.size;
  return all === 0 ? 1 : (2 * common) / all;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

/** The described frame represents its shot. */
function picturesOf({ sampled, captions }: CaptionObservations): ComparedPicture[] {
  const described = new Map(captions.map((caption) => [caption.frame, caption]));
  return sampled.map(({ frame, time }) => {
    const caption = described.get(frame);
    const seen = caption === undefined ? [] : [{ label: caption.text, score: caption.confidence, box: null }];
    return { frame, time, seen };
  });
}
