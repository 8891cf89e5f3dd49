import { AditError, elementAt, isoTime, type QuotasChange, type Workspace } from '@adit/contracts';
import { ApiKeyEntity, inTransaction, isUuid, readPage, WorkspaceEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { hashApiKey, newApiKey, newSigningSecret, shownPrefix } from '../auth/api-key.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { storageUsed } from '@adit/storage';
import { WorkspaceErasure } from './workspace-erasure.js';
import { changeWorkspace, createWorkspace, deleteWorkspace, getWorkspace, listWorkspaces } from './workspace-routes.js';

@Controller()
export class WorkspacesController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(WorkspaceErasure) private readonly erasure: WorkspaceErasure,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listWorkspaces)
  async list({ query }: Input<typeof listWorkspaces>, { request }: Exchange) {
    const found = this.db.manager.createQueryBuilder(WorkspaceEntity, 'w').where({ timeDeleted: IsNull() });
    const { rows, total, next } = await readPage(found, query, [
      { by: 'w.timeCreated', kind: 'time' },
      { by: 'w.id', kind: 'uuid' },
    ]);
    return this.links.page(request, query, total, await this.shown(rows), next);
  }

  @Route(createWorkspace)
  async create({ body }: Input<typeof createWorkspace>, { newId: id, isDone, done }: Exchange) {
    const key = newApiKey();
    const hashed = { prefix: shownPrefix(key), hash: hashApiKey(key) };
    // Its first key goes by its id.
    const first = { id, workspaceId: id };
    await inTransaction(this.db, async (manager) => {
      if (isDone) {
        // Nobody was told the key that it has.
        await manager.update(ApiKeyEntity, first, hashed);
        return;
      }
      await done(manager);
      await manager.insert(WorkspaceEntity, { id, ...columnsOf(body), signingSecret: newSigningSecret() });
      await changeQuotas(manager, id, body.quotas);
      await manager.insert(ApiKeyEntity, { ...first, name: 'first', role: 'admin', ...hashed });
    });
    return { ...(await this.shownOne(id)), key };
  }

  @Route(getWorkspace)
  async one({ params }: Input<typeof getWorkspace>) {
    return this.shownOne(params.workspaceId);
  }

  @Route(changeWorkspace)
  async change({ params, body }: Input<typeof changeWorkspace>) {
    const { id } = await this.row(params.workspaceId);
    const columns = columnsOf(body);
    await inTransaction(this.db, async (manager) => {
      if (Object.keys(columns).length > 0) await manager.update(WorkspaceEntity, { id }, columns);
      if (body.quotas !== undefined) await changeQuotas(manager, id, body.quotas);
    });
    return this.shownOne(id);
  }

  @Route(deleteWorkspace)
  async delete({ params }: Input<typeof deleteWorkspace>, { caller }: Exchange) {
    // The rest of an erasure that failed is erased by the next one.
    const { id, name } = await this.row(params.workspaceId, { erased: true });
    if (id === caller.workspaceId) {
      throw new AditError(
        'CONFLICT',
        'This is the workspace of the key that asks; it holds the installation together.',
      );
    }
    const counts = await this.erasure.erase(id);
    return { id, name, state: 'erased' as const, counts, time: isoTime(new Date()), key: caller.keyId };
  }

  private async row(id: string, { erased = false } = {}): Promise<WorkspaceEntity> {
    const where = { id, ...(!erased && { timeDeleted: IsNull() }) };
    const row = isUuid(id) ? await this.db.manager.findOneBy(WorkspaceEntity, where) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no workspace ${id}.`);
    return row;
  }

  private async shownOne(id: string): Promise<Workspace> {
    const row = await this.row(id);
    return elementAt(await this.shown([row]), 0);
  }

  private async shown(rows: WorkspaceEntity[]): Promise<Workspace[]> {
    const ids = rows.map(({ id }) => id);
    const used = await storageUsed(this.db.manager, ids);
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      storage_bytes: row.storageBytes === null ? null : Number(row.storageBytes),
      quotas: row.quotas,
      storage_used: used.get(row.id) ?? 0,
      weight: row.weight,
      observation_cache: row.observationCache,
      time_created: isoTime(row.timeCreated),
    }));
  }
}

/** Changes those that are said, and leaves the others to whoever changes them at the same time. */
async function changeQuotas(manager: EntityManager, id: string, quotas: QuotasChange): Promise<void> {
  await manager.query('UPDATE workspaces SET quotas = jsonb_strip_nulls(quotas || $2::jsonb) WHERE id = $1', [
    id,
    quotas,
  ]);
}

interface Fields {
  name?: string | undefined;
  storage_bytes?: number | null | undefined;
  weight?: number | undefined;
  observation_cache?: boolean | undefined;
}

function columnsOf({ name, storage_bytes: bytes, weight, observation_cache: observationCache }: Fields) {
  return {
    ...(name !== undefined && { name }),
    ...(bytes !== undefined && { storageBytes: bytes === null ? null : String(bytes) }),
    ...(weight !== undefined && { weight }),
    ...(observationCache !== undefined && { observationCache }),
  } as Pick<WorkspaceEntity, 'name'>;
}
