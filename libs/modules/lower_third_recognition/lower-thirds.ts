import type { TextObservations } from '@adit/analyses/text/observations';
import { elementAt } from '@adit/contracts';

type TextTrack = TextObservations['tracks'][number];

/**
 * Highest position of a caption's centre as a fraction of the frame's height: the lower half, since two lines may be
 * stacked.
 */
const FROM_TOP = 0.5;
/** Heights of a line as fractions of the frame's: legible from an armchair, and no headline across the screen. */
const HEIGHTS = { from: 0.015, to: 0.16 };
/** Largest slope of a caption; steeper text was filmed. */
const MAX_SLOPE = 0.12;
/** Least similarity of a caption's appearance between samples. Filmed text changes with the picture around it. */
const STEADY = 0.7;
/** Largest total movement of a caption's start as a fraction of the frame: captions slide in, filmed text drifts. */
const MAX_DRIFT = 0.25;
const MIN_CONFIDENCE = 0.6;

/** Largest offset of starts, or of centres, of a name and the line under it, as a fraction of the frame's width. */
const MAX_OFFSET = 0.03;
/** Largest gap between a name and the next line, in heights of the name. */
const MAX_GAP = 1;
/** Largest height of the line under a name, in heights of the name. */
const MAX_HEIGHT_BELOW = 1.15;

/**
 * Tests whether a line of text may be a lower third: an overlay, so it is level, in the lower half, of a caption's
 * size, and stable while the picture moves.
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
    Math.abs(y2 - y1) <= MAX_SLOPE * length &&
    drift <= MAX_DRIFT
  );
}

/**
 * Returns the line right under another in a frame that shows both, no larger, left-aligned or centred; null for none.
 */
export function lineBelow(line: TextTrack, others: readonly TextTrack[]): TextTrack | null {
  const candidates = others.flatMap((other) => {
    const gap = other === line ? null : gapUnder(line, other);
    return gap === null ? [] : [{ other, gap }];
  });
  return candidates.sort((a, b) => a.gap - b.gap)[0]?.other ?? null;
}

/** Returns the gap of `other` under `line` as a fraction of the frame's height; null where it is not there. */
function gapUnder(line: TextTrack, other: TextTrack): number | null {
  for (const { frame, corners } of line.sightings) {
    const shown = other.sightings.find((sighting) => sighting.frame === frame);
    if (shown === undefined) continue;
    const [above, under] = [extentOf(corners), extentOf(shown.corners)];
    const gap = under.top - above.bottom;
    const aside = Math.min(Math.abs(under.left - above.left), Math.abs(under.middle - above.middle));
    const fits = under.height <= MAX_HEIGHT_BELOW * above.height && aside <= MAX_OFFSET;
    return fits && under.top > above.top + above.height / 2 && gap <= MAX_GAP * above.height ? gap : null;
  }
  return null;
}

function extentOf(corners: readonly number[]): Record<'left' | 'middle' | 'top' | 'bottom' | 'height', number> {
  const [x1 = NaN, y1 = NaN, x2 = NaN, , , , x4 = NaN, y4 = NaN] = corners;
  return { left: x1, middle: (x1 + x2) / 2, top: y1, bottom: y4, height: Math.hypot(x4 - x1, y4 - y1) };
}
