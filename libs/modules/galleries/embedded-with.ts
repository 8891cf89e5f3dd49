import { AditError } from '@adit/contracts';
import type { InstalledModel } from '@adit/module-kit';

/**
 * Returns the user's network of the chosen galleries; null where it is `own`, or without a gallery. Throws VALIDATION
 * for several networks, whose embeddings are not comparable, since a job uses one.
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
