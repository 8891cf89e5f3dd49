import type { TextObservations } from '@adit/analyses/text/observations';
import { elementAt } from '@adit/contracts';

type TextTrack = TextObservations['tracks'][number];

/** Highest place of a caption's middle, of the frame's height: the lower half, since two lines stand on each other. */
const FROM_TOP = 0.5;
/** Heights of a line, of the frame's height, that can be read from an armchair and are no headline across the screen. */
const HEIGHTS = { from: 0.015, to: 0.16 };
/** A caption is level: what leans more (rise to length) was filmed. */
const MOST_RISE = 0.12;
/** How alike a caption looks from sample to sample at least. What was filmed changes with the picture around it. */
const STEADY = 0.7;
/** How far a caption's begin may move altogether, of the frame: one that slides in does, one that was filmed drifts. */
const MOST_DRIFT = 0.25;
const MIN_CONFIDENCE = 0.6;

/** How far the line under a name begins from where the name does, or their middles lie apart, of the frame's width. */
const MOST_ASIDE = 0.03;
/** How far under a name the next line begins at most, in heights of the name. */
const MOST_UNDER = 1;
/** How high the line under a name is at most, in heights of the name. */
const HIGHEST_UNDER = 1.15;

/**
 * Whether a line of text may be a lower third: laid over the picture, so it is level, in the lower half, of a caption's
 * size, and stays as it is while the picture moves.
 */
export function isLowerThird({ confidence, sightings, steadiness }: TextTrack): boolean {
  if (confidence < MIN_CONFIDENCE || steadiness < STEADY) return false;
  const [first, last] = [elementAt(sightings, 0), elementAt(sightings, -1)];
  const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN, x3 = NaN, y3 = NaN, x4 = NaN, y4 = NaN] = last.corners;
  const height = Math.hypot(x4 - x1, y4 - y1);
  const length = Math.hypot(x2 - x1, y2 - y1);
  const middle = (y1 + y2 + y3 + y4) / 4;
  const drift = Math.hypot(x1 - (first.corners[0] ?? 0), y1 - (first.corners[1] ?? 0));
  return (
    middle >= FROM_TOP &&
    height >= HEIGHTS.from &&
    height <= HEIGHTS.to &&
    length > height &&
    x3 > x4 &&
    Math.abs(y2 - y1) <= MOST_RISE * length &&
    drift <= MOST_DRIFT
  );
}

/** The line that stands right under another in a frame that shows both, no larger, at its left or in its middle; null for none. */
export function lineBelow(line: TextTrack, others: readonly TextTrack[]): TextTrack | null {
  const candidates = others.flatMap((other) => {
    const gap = other === line ? null : gapUnder(line, other);
    return gap === null ? [] : [{ other, gap }];
  });
  return candidates.sort((a, b) => a.gap - b.gap)[0]?.other ?? null;
}

/** How far `other` begins under `line`, of the frame's height; null where it does not stand there. */
function gapUnder(line: TextTrack, other: TextTrack): number | null {
  for (const { frame, corners } of line.sightings) {
    const shown = other.sightings.find((sighting) => sighting.frame === frame);
    if (shown === undefined) continue;
    const [above, under] = [extentOf(corners), extentOf(shown.corners)];
    const gap = under.top - above.bottom;
    const aside = Math.min(Math.abs(under.left - above.left), Math.abs(under.middle - above.middle));
    const fits = under.height <= HIGHEST_UNDER * above.height && aside <= MOST_ASIDE;
    return fits && under.top > above.top + above.height / 2 && gap <= MOST_UNDER * above.height ? gap : null;
  }
  return null;
}

function extentOf(corners: readonly number[]): Record<'left' | 'middle' | 'top' | 'bottom' | 'height', number> {
  const [x1 = NaN, y1 = NaN, x2 = NaN, , , , x4 = NaN, y4 = NaN] = corners;
  return { left: x1, middle: (x1 + x2) / 2, top: y1, bottom: y4, height: Math.hypot(x4 - x1, y4 - y1) };
}
