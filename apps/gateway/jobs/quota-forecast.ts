import { USAGE_QUOTAS, type MediaFacts, type UsageQuotaName } from '@adit/contracts';
import { takesMedia, type NewJob } from '@adit/jobs';
import { presentQuota, usageQuotas, usageRates, type UsageRates } from '@adit/usage';
import type { DataSource } from 'typeorm';
import type { DryRun } from './job-routes.js';

type Used = (typeof USAGE_QUOTAS)[UsageQuotaName]['of'];

/** Where the quotas of the workspace stand, and what a job with these sources would use of each. */
export async function forecastQuotas(
  db: DataSource,
  { workspaceId, modules }: Pick<NewJob, 'workspaceId' | 'modules'>,
  sources: DryRun['sources'],
): Promise<DryRun['quotas']> {
  const quotas = await usageQuotas(db, workspaceId);
  if (quotas.length === 0) return [];
  const ids = modules.map(({ moduleId }) => moduleId);
  const rates = await usageRates(db, workspaceId, ids);
  const facts = sources.flatMap((source) => source.facts ?? []);
  const isProbed = sources.every((source) => source.facts !== null || source.error !== null);
  return quotas.map((quota) => {
    const { of } = USAGE_QUOTAS[quota.quota];
    return { ...presentQuota(quota), expected: isProbed ? expectedUse(of, modules, facts, rates) : null };
  });
}

/** All of each source that a module takes, whatever its range and what is cached. Null where that cannot be told. */
function expectedUse(
  of: Used,
  modules: NewJob['modules'],
  facts: readonly MediaFacts[],
  rates: ReadonlyMap<string, UsageRates>,
): number | null {
  let sum = 0;
  for (const module of modules) {
    const taken = facts.filter(({ kind }) => takesMedia(module, kind));
    if (taken.length === 0) continue;
    // Rates are by the length of media, and pictures have none.
    const rate = taken.some(({ kind }) => kind === 'image' || kind === 'pdf') ? undefined : rates.get(module.moduleId);
    const perSecond = of === 'media_seconds' ? 1 : rate?.[of];
    if (perSecond === undefined) return null;
    sum += perSecond * taken.reduce((seconds, fact) => seconds + ('duration' in fact ? fact.duration : 0), 0);
  }
  return Math.round(sum * 1000) / 1000;
}
