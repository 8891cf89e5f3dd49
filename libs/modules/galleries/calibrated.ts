import type { InstalledModel } from '@adit/module-kit';

/** The distance at which none of these galleries names strangers, as their trainings found; null when none was trained. */
export function calibratedDistance(galleries: readonly InstalledModel[]): number | null {
  const distances = galleries.flatMap(({ maxDistance }) => maxDistance ?? []);
  return distances.length === 0 ? null : Math.min(...distances);
}
