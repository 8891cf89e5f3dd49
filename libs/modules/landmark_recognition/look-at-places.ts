import type { AnalysisNeed, InstalledModel } from '@adit/module-kit';
import { embeddedWith } from '../galleries/embedded-with.js';

/** Comes with Adit. */
const NETWORK = 'image-embedding';

/** The pass over the pictures for these landmark models: with the network that made them, where that is somebody's own. */
export function lookAtPlaces(models: readonly string[], installed: readonly InstalledModel[]): AnalysisNeed {
  const embedding = embeddedWith(models, installed, NETWORK);
  if (embedding === null) return { analysis: NETWORK, args: {} };
  const side = installed.find(({ kind, name }) => kind === 'network' && name === embedding)?.frameSide ?? null;
  return { analysis: NETWORK, args: { embedding, ...(side !== null && { side }) } };
}
