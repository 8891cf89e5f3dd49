/** Quotas of what analyses take: where they stand, and the refusal of orders beyond them. */
import {
  AditError,
  isoTime,
  keysOf,
  USAGE_QUOTAS,
  type Quotas,
  type QuotaUse,
  type UsageQuotaName,
} from '@adit/contracts';
import type { EntityManager } from 'typeorm';

type Used = (typeof USAGE_QUOTAS)[UsageQuotaName]['of'];

/** A quota of a workspace in the day or month that it is of. */
export interface UsageQuota {
  quota: UsageQuotaName;
  limit: number;
  used: number;
  timeReset: Date;
  secondsToReset: number;
}

interface Period extends Record<Used, number> {
  per: (typeof USAGE_QUOTAS)[UsageQuotaName]['per'];
  timeReset: Date;
  secondsToReset: number;
}

/** SQL: what the workspace `$1` has used today and this month, in UTC. */
const PERIODS = `
  SELECT p.per, p.reset AS "timeReset", extract(epoch FROM p.reset - now())::float8 AS "secondsToReset",
         coalesce(sum(u.media_seconds), 0)::float8 AS media_seconds, coalesce(sum(u.chunk_seconds), 0)::float8 AS chunk_seconds,
         coalesce(sum(u.cpu_seconds), 0)::float8 AS cpu_model_seconds, coalesce(sum(u.gpu_seconds), 0)::float8 AS gpu_model_seconds
    FROM (SELECT per, date_trunc(per, now() AT TIME ZONE 'UTC')::date AS begin,
                 (date_trunc(per, now() AT TIME ZONE 'UTC') + ('1 ' || per)::interval) AT TIME ZONE 'UTC' AS reset
            FROM unnest(ARRAY['day', 'month']) per) p
    LEFT JOIN usage_days u ON u.workspace_id = $1 AND u.day >= p.begin
   GROUP BY p.per, p.reset`;

/** The usage quotas that a workspace has, with what is counted by now. Sums nothing up where there is none. */
export async function usageQuotas(db: Pick<EntityManager, 'query'>, workspaceId: string): Promise<UsageQuota[]> {
  const [row]: { quotas: Quotas }[] = await db.query('SELECT quotas FROM workspaces WHERE id = $1', [workspaceId]);
  const limited = keysOf(USAGE_QUOTAS).flatMap((quota) => {
    const limit = row?.quotas[quota];
    return limit === undefined ? [] : [{ quota, limit }];
  });
  if (limited.length === 0) return [];
  const periods: Period[] = await db.query(PERIODS, [workspaceId]);
  return limited.flatMap(({ quota, limit }) => {
    const { of, per } = USAGE_QUOTAS[quota];
    return periods
      .filter((period) => period.per === per)
      .map((period) => ({
        ...{ quota, limit, used: period[of] },
        ...{ timeReset: period.timeReset, secondsToReset: period.secondsToReset },
      }));
  });
}

export function isUsedUp({ limit, used }: UsageQuota): boolean {
  return used >= limit;
}

/** The refusal of an order of a workspace that has used up quotas. An order may be sent again once the last of them starts anew. */
export function quotaExceeded(usedUp: readonly UsageQuota[]): AditError {
  const errors = usedUp.map((quota) => ({
    ...{ pointer: '', code: 'quota_exceeded', message: sentence(quota) },
    quota: presentQuota(quota),
  }));
  const retryAfterSeconds = Math.max(1, ...usedUp.map(({ secondsToReset }) => Math.ceil(secondsToReset)));
  return new AditError('QUOTA_EXCEEDED', errors.map(({ message }) => message).join(' '), { errors, retryAfterSeconds });
}

function sentence(quota: UsageQuota): string {
  const { quota: name, limit, used, left, time_reset: time } = presentQuota(quota);
  return `The quota ${name} of this workspace is used up: ${used} of ${limit} s are used, ${left} s are left. It starts anew at ${time}.`;
}

export function presentQuota({ quota, limit, used, timeReset }: UsageQuota): QuotaUse {
  // To milliseconds, as usage is shown.
  const shown = Math.round(used * 1000) / 1000;
  return { quota, limit, used: shown, left: Math.max(0, limit - shown), time_reset: isoTime(timeReset) };
}
