import { AditError } from '@adit/contracts';
import type { AnalysisRegistry } from '@adit/inference';
import type { InferenceConfig } from './config.js';

/** The families that a process serves whose own is `family`. Throws VALIDATION for one that no analysis is of. */
export function servedFamilies(
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
