import { AditError } from '@adit/contracts';
import type { AnalysisRegistry } from '@adit/inference';
import type { InferenceConfig } from './config.js';

/** Returns the pools that a process serves; `family` is its own. Throws VALIDATION for one without analyses. */
export function servedPools(
  { inferenceFamilies }: Pick<InferenceConfig, 'inferenceFamilies'>,
  family: string,
  analyses: AnalysisRegistry,
): string[] {
  const served = [...new Set(inferenceFamilies ?? [family])];
  const known = new Set(analyses.all().map((analysis) => analysis.family));
  const unknown = served.find((name) => !known.has(name));
  if (unknown === undefined) return served;
  throw new AditError(
    'VALIDATION',
    `ADIT_INFERENCE_FAMILIES names ${unknown}; there are ${[...known].sort().join(', ')}.`,
  );
}
