import { AditError, MAX_USAGE_DAYS, MAX_USAGE_ROWS, type Usage, type UsageRow } from '@adit/contracts';
import { CSV, writeCsv } from '@adit/csv';
import { ApiKeyEntity, databaseNow, isUuid, MemberEntity } from '@adit/database';
import { storageQuotas, storageUsedByKind } from '@adit/storage';
import { presentQuota, usageOf, usageQuotas, type UsageSums } from '@adit/usage';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { getUsage, groupsIn } from './usage-routes.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

@Controller()
export class UsageController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'storageBytes'>,
  ) {}

  @Route(getUsage)
  async usage({ query }: Input<typeof getUsage>, { caller, request, reply }: Exchange) {
    const { from, to } = rangeOf(query, await databaseNow(this.db));
    if (query.workspaces === 'all' && caller.role !== 'owner') {
      throw new AditError('FORBIDDEN', 'Only a key with the role owner sees what other workspaces used.');
    }
    const workspaceId = query.workspaces === 'all' ? null : caller.workspaceId;
    const groupBy = groupsIn(query.group_by);
    const found = await usageOf(this.db, { workspaceId, from, to, groupBy, limit: MAX_USAGE_ROWS + 1 });
    if (found.length > MAX_USAGE_ROWS) {
      const message = `The answer has more than ${MAX_USAGE_ROWS} rows: ask for fewer days, or group by less.`;
      throw new AditError('VALIDATION', message, { errors: [{ pointer: '?group_by', code: 'too_many', message }] });
    }
    const names = await this.names(found.flatMap(({ keyId }) => keyId ?? []));
    const rows = found.map((sums) => shown(sums, names));
    const isCsv = query.format === 'csv' || (query.format === undefined && prefersCsv(request.headers.accept));
    if (!isCsv) {
      const [bytes, quotas] = [await this.bytes(workspaceId), await this.quotas(workspaceId)];
      return { from, to, rows, bytes, quotas } satisfies Usage;
    }
    void reply.type(CSV.mimeType).header('content-disposition', `attachment; filename="usage-${from}-${to}.csv"`);
    return reply.send(csvOf(rows));
  }

  /** Names of API keys and members by their ids; deleted ones and access keys have none. */
  private async names(ids: readonly string[]): Promise<Map<string, string>> {
    const asked = { where: { id: In([...new Set(ids.filter(isUuid))]) }, select: { id: true, name: true } } as const;
    const [keys, members] = await Promise.all([
      this.db.manager.find(ApiKeyEntity, asked),
      this.db.manager.find(MemberEntity, asked),
    ]);
    return new Map([...keys, ...members].map(({ id, name }) => [id, name]));
  }

  private async bytes(workspaceId: string | null): Promise<Usage['bytes']> {
    return workspaceId === null ? null : storageUsedByKind(this.db.manager, workspaceId);
  }

  private async quotas(workspaceId: string | null): Promise<Usage['quotas']> {
    if (workspaceId === null) return null;
    const stored = await storageQuotas(this.db.manager, workspaceId, this.config.storageBytes);
    const inBytes = stored.flatMap(({ quota, limit, used }) =>
      limit === null ? [] : [{ quota, limit, used, left: Math.max(0, limit - used), time_reset: null }],
    );
    return [...inBytes, ...(await usageQuotas(this.db, workspaceId)).map(presentQuota)];
  }
}

/** Throws VALIDATION for days in the wrong order, and for too many. */
function rangeOf(
  query: { from?: string | undefined; to?: string | undefined },
  now: Date,
): { from: string; to: string } {
  const to = query.to ?? dayOf(now.getTime());
  const from = query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days >= 1 && days <= MAX_USAGE_DAYS) return { from, to };
  const message = days < 1 ? '`from` is after `to`' : `${days} days; at most ${MAX_USAGE_DAYS} are answered at once`;
  throw new AditError('VALIDATION', `The days cannot be answered: ${message}.`, {
    errors: [{ pointer: '?from', code: 'invalid', message }],
  });
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function prefersCsv(accept: string | undefined): boolean {
  return accept !== undefined && /^\s*text\/csv\b/i.test(accept);
}

function shown(sums: UsageSums, names: ReadonlyMap<string, string>): UsageRow {
  const { workspaceId, day, moduleId, keyId } = sums;
  return {
    workspace_id: workspaceId,
    day,
    module: moduleId,
    key: keyId === null ? null : { id: keyId === '' ? null : keyId, name: names.get(keyId) ?? null },
    media_seconds: rounded(sums.mediaSeconds),
    chunk_seconds: rounded(sums.chunkSeconds),
    cpu_model_seconds: rounded(sums.cpuSeconds),
    gpu_model_seconds: rounded(sums.gpuSeconds),
  };
}

/** To milliseconds. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function csvOf(rows: readonly UsageRow[]) {
  const columns = ['workspace_id', 'day', 'module', 'key_id', 'key_name'];
  const sums = ['media_seconds', 'chunk_seconds', 'cpu_model_seconds', 'gpu_model_seconds'] as const;
  return writeCsv(
    [...columns, ...sums],
    rows.map((row) => [
      ...[row.workspace_id, row.day, row.module, row.key?.id ?? null, row.key?.name ?? null],
      ...sums.map((name) => row[name]),
    ]),
  );
}
