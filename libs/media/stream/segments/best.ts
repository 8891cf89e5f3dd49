import { AditError } from '@adit/contracts';

const MOST_LINES = 1080;

/** A form in which a stream is offered. */
export interface Offer {
  bandwidth: number;
  /** The smaller side of the pictures, and how many pixels they have; null where not stated. */
  resolution: { lines: number; pixels: number } | null;
  /** Its sound comes in segments of its own. */
  hasSeparateSound: boolean;
}

/**
 * Chooses the form of a stream that is read: the largest pictures up to 1080 lines, else the smallest above. Among
 * equals, sound muxed with the pictures comes first, then the higher bit rate.
 */
export function best<T extends Offer>(offers: readonly T[]): T {
  const [first] = offers.toSorted(byPreference);
  if (first === undefined) throw new AditError('SOURCE_REFUSED', 'The stream is offered in no form that can be read.');
  return first;
}

function byPreference(one: Offer, other: Offer): number {
  const ranks = [rank(one), rank(other)] as const;
  return ranks[1].map((value, at) => value - (ranks[0][at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Compared from left to right; the greater wins. */
function rank({ resolution, hasSeparateSound, bandwidth }: Offer): number[] {
  const fits = resolution !== null && resolution.lines <= MOST_LINES;
  const size = resolution === null ? 0 : fits ? resolution.pixels : -resolution.pixels;
  return [fits ? 2 : resolution === null ? 0 : 1, size, hasSeparateSound ? 0 : 1, bandwidth];
}
