import { comparePictures, type ComparedPicture, type Comparison, type MatchSeen } from '@adit/inference';
import type { CaptionObservations } from './observations.js';

/** Two sentences say the same from this share of common words on (Dice's coefficient). */
const SAME_FROM = 0.75;

/** How two versions described the same frames. Each description counts, however sure its model was of it. */
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

/** The frame that was described stands for its shot. */
function picturesOf({ sampled, captions }: CaptionObservations): ComparedPicture[] {
  const described = new Map(captions.map((caption) => [caption.frame, caption]));
  return sampled.map(({ frame, time }) => {
    const caption = described.get(frame);
    const seen = caption === undefined ? [] : [{ label: caption.text, score: caption.confidence, box: null }];
    return { frame, time, seen };
  });
}
