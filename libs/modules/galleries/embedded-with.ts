import { AditError } from '@adit/contracts';
import type { InstalledModel } from '@adit/module-kit';

/**
 * The network of somebody's own that the chosen galleries were made with; null where it is `own`, or there is no gallery. Throws
 * VALIDATION when they were made with several: what two networks give cannot be compared, and a job looks with one.
 */
export function embeddedWith(
  names: readonly string[],
  installed: readonly InstalledModel[],
  own: string,
): string | null {
  const galleries = installed.filter(({ kind, name }) => kind === 'gallery' && names.includes(name));
  const networkOf = new Map(galleries.map(({ name, embedding }) => [name, embedding ?? own]));
  const [network = own, ...others] = new Set(networkOf.values());
  if (others.length === 0) return network === own ? null : network;
  const each = [...networkOf].map(([gallery, by]) => `${gallery} with ${by}`).join(', ');
  throw new AditError(
    'VALIDATION',
    `These galleries were made with different networks (${each}): ask about those of one network in one job.`,
  );
}
