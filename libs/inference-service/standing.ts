import { canonicalJson, inputOf } from '@adit/contracts';
import type { JobAnalysisEntity } from '@adit/database';
import { analysisDigest, identityOf, modelsOf, type AnalysisRegistry } from '@adit/inference';

type Request = Pick<JobAnalysisEntity, 'analysis' | 'args' | 'models' | 'frames' | 'audio' | 'digest'>;

/**
 * `own`: what this process would write down is what the digest of the request stands for. `other`: another build was asked,
 * whose pictures and models this one could look at as well. `unknown`: this build cannot do what is asked.
 */
export type Standing = 'own' | 'other' | 'unknown';

/** How an analysis that a job was planned with stands to the one of this build. */
export function standingOf(analyses: AnalysisRegistry, request: Request): Standing {
  const definition = analyses.all().find(({ name }) => name === request.analysis);
  const args = definition?.args.safeParse(request.args);
  if (definition === undefined || !args?.success || !hasItsModels(modelsOf(definition, args.data), request))
    return 'unknown';
  const identity = identityOf(definition, args.data, request.models, decoderOf(request));
  // The version is in the digest, and so is a default that this build fills in and the other did not know.
  if (analysisDigest(identity) === request.digest) return 'own';
  return canonicalJson(inputOf(identity)) === canonicalJson(inputOf(request)) ? 'other' : 'unknown';
}

/** The decoder version that its pictures or its sound were asked of. */
export function decoderOf(request: Pick<Request, 'frames' | 'audio'>): number {
  return inputOf(request).specs[0]?.decoder ?? 1;
}

function hasItsModels(models: readonly string[], request: Request): boolean {
  return models.length === request.models.length && models.every((name, index) => name === request.models[index]?.name);
}
