import { canonicalJson, inputOf } from '@adit/contracts';
import type { JobAnalysisEntity } from '@adit/database';
import { analysisDigest, identityOf, modelsOf, type AnalysisRegistry } from '@adit/inference';

type Request = Pick<JobAnalysisEntity, 'analysis' | 'args' | 'models' | 'frames' | 'audio' | 'digest'>;

/**
 * Compatibility of a request with this build. `own`: this build's result has the digest of the request. `other`:
 * another build was requested, whose input and models this one supports as well. `unknown`: this build cannot do it.
 */
export type Compatibility = 'own' | 'other' | 'unknown';

/** Compares a planned analysis with this build's. */
export function compatibilityOf(analyses: AnalysisRegistry, request: Request): Compatibility {
  const definition = analyses.all().find(({ name }) => name === request.analysis);
  const args = definition?.args.safeParse(request.args);
  if (definition === undefined || !args?.success || !hasItsModels(modelsOf(definition, args.data), request))
    return 'unknown';
  const identity = identityOf(definition, args.data, request.models, decoderOf(request));
  // The digest covers the version, and defaults that this build fills in and the other did not know.
  if (analysisDigest(identity) === request.digest) return 'own';
  return canonicalJson(inputOf(identity)) === canonicalJson(inputOf(request)) ? 'other' : 'unknown';
}

/** Returns the decoder version of the requested input. */
export function decoderOf(request: Pick<Request, 'frames' | 'audio'>): number {
  return inputOf(request).specs[0]?.decoder ?? 1;
}

function hasItsModels(models: readonly string[], request: Request): boolean {
  return models.length === request.models.length && models.every((name, index) => name === request.models[index]?.name);
}
