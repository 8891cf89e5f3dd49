import type { InstalledModel } from '@adit/module-kit';

/**
 * Returns the distance at which none of these galleries names unknown people, by their training; null when none was
 * trained.
 */
export function calibratedDistance(galleries: readonly InstalledModel[]): number | null {
  const distances = galleries.flatMap(({ maxDistance }) => maxDistance ?? []);
  return distances.length === 0 ? null : Math.min(...distances);
}
