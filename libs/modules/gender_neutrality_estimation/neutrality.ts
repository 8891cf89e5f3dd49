import { segmentOfInterval } from '@adit/module-kit';
import type { ClosedSource, Portrait, Segment, Summary } from '@adit/module-kit';
import type { FilmOfPeople, PeopleReporter } from '../people/people-fold.js';
import { femaleShare } from '../people/tally.js';
import type { Tally } from '../people/tally.js';

/** Shares of female between which neither gender dominates. */
const NEUTRAL = [0.4, 0.6] as const;

type Label = 'Gender Neutral' | 'Male Dominant' | 'Female Dominant';

export function labelOf(share: number): Label {
  if (share < NEUTRAL[0]) return 'Male Dominant';
  return share > NEUTRAL[1] ? 'Female Dominant' : 'Gender Neutral';
}

/** One segment per source with faces: over all that was analysed of a film or a document, or the picture. */
export class Neutrality implements PeopleReporter {
  picture(
    source: number,
    people: Tally,
    portrait: Portrait,
    { first, last }: { first: number; last: number },
  ): Segment[] {
    return [segmentOf(source, people, portrait, { frame: first, time: 0 }, { frame: last, time: 0 })];
  }

  summaries(): Summary[] {
    return [];
  }

  film({ source, shown, portrait, first, last }: FilmOfPeople): ClosedSource {
    return { segments: [segmentOf(source, shown, portrait, first, last)], summaries: [] };
  }
}

function segmentOf(
  sourceIndex: number,
  shown: Tally,
  portrait: Portrait,
  start: { frame: number; time: number },
  end: { frame: number; time: number },
): Segment {
  const share = femaleShare(shown);
  if (share === null) throw new RangeError('A source without faces has no gender.');
  const label = labelOf(share);
  return segmentOfInterval(
    { start, end },
    { index: sourceIndex },
    {
      type: 'gender_neutrality',
      label,
      confidence: Math.round(margin(share) * 10_000) / 10_000,
      meta: { label },
      portrait: { thumbnail: null, keyFrame: portrait.keyFrame },
    },
  );
}

/** Returns the distance of the share from the nearest border between two labels: 0 on it, 1 at the extreme. */
function margin(share: number): number {
  const [low, high] = NEUTRAL;
  if (share < low) return (low - share) / low;
  if (share > high) return (share - high) / (1 - high);
  return Math.min(share - low, high - share) / ((high - low) / 2);
}
