import type { AnalysisNeed, InstalledModel } from '@adit/module-kit';
import { embeddedWith } from '../galleries/embedded-with.js';

/** Built-in network. */
const NETWORK = 'image-embedding';

/** Returns the pass over the pictures for these landmark models, with their own network, if it is the user's. */
export function placesNeed(models: readonly string[], installed: readonly InstalledModel[]): AnalysisNeed {
  const embedding = embeddedWith(models, installed, NETWORK);
  if (embedding === null) return { analysis: NETWORK, args: {} };
  const side = installed.find(({ kind, name }) => kind === 'network' && name === embedding)?.frameSide ?? null;
  return { analysis: NETWORK, args: { embedding, ...(side !== null && { side }) } };
}
