import {
  AccessKeyEntity,
  ApiKeyEntity,
  ExportEntity,
  inTransaction,
  JobEntity,
  StorageEntryEntity,
  StorageRemovalEntity,
  WebhookEntity,
  WorkspaceEntity,
} from '@adit/database';
import { JobCommands } from '@adit/jobs';
import { createLogger } from '@adit/runtime';
import { removeDeliveriesOf, webhookSubscription } from '@adit/webhooks';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import { AccessTokens } from '../auth/access-tokens.js';
import { Authenticator } from '../auth/authenticator.js';
import { Removals } from '../storage/removals.js';

const log = createLogger('workspaces');
const BATCH = 500;

/** Rows that go by their own `workspace_id`, by the kind that the receipt counts them under. */
const OWN_TABLES = {
  batches: 'batches',
  reports: 'reports',
  exports: 'exports',
  dictionaries: 'dictionaries',
  media: 'media',
  observations: 'observations',
  models: 'workspace_models',
  audit_entries: 'audit_entries',
  idempotency_keys: 'idempotency_keys',
} as const;

/** Rows that hang on those, and go before them: table, column, and the table it points to. */
const HANGING = [
  ['report_items', 'report_id', 'reports'],
  ['artifacts', 'export_id', 'exports'],
  ['dictionary_versions', 'dictionary_id', 'dictionaries'],
] as const;

/**
 * Erases a workspace with everything in it. The row of the workspace goes last: until then it is marked, nobody gets in,
 * and what a process that died has left is gone on with at the next start. Bytes go by the list of removals.
 */
@Injectable()
export class WorkspaceErasure implements OnApplicationBootstrap {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobCommands) private readonly jobs: JobCommands,
    @Inject(Removals) private readonly removals: Removals,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const { id } of await this.db.manager.findBy(WorkspaceEntity, { timeDeleted: Not(IsNull()) })) {
      void this.erase(id).catch((error: unknown) => log.warn({ err: error, workspaceId: id }, 'erasing goes on later'));
    }
  }

  /** Answers how many of each kind there were. */
  async erase(workspaceId: string): Promise<Record<string, number>> {
    const keys = await this.lock(workspaceId);
    // Those of a job go with it.
    const exports = await this.db.manager.countBy(ExportEntity, { workspaceId });
    const jobs = await this.eraseJobs(workspaceId);
    const files = await this.eraseFiles(workspaceId);
    const others = await inTransaction(this.db, (manager) => this.eraseRows(manager, workspaceId));
    await this.removals.drain();
    log.info({ workspaceId }, 'a workspace was erased');
    return { jobs, files, ...others, exports, ...keys };
  }

  /** From here on no key of it counts. */
  private async lock(workspaceId: string): Promise<Record<string, number>> {
    const where = { workspaceId };
    const [apiKeys, accessKeys] = await inTransaction(this.db, async (manager) => {
      await manager.update(WorkspaceEntity, { id: workspaceId }, { timeDeleted: new Date() });
      const found = [
        await manager.find(ApiKeyEntity, { where, select: { id: true } }),
        await manager.find(AccessKeyEntity, { where, select: { key: true } }),
      ] as const;
      await manager.delete(ApiKeyEntity, where);
      await manager.delete(AccessKeyEntity, where);
      return found;
    });
    for (const { id } of apiKeys) this.authenticator.forget(id);
    for (const { key } of accessKeys) this.tokens.forget(key);
    return { api_keys: apiKeys.length, access_keys: accessKeys.length };
  }

  /** Tombstones stay for work in flight until the sweeper takes them, with nothing in them. */
  private async eraseJobs(workspaceId: string): Promise<number> {
    const where = { workspaceId, timeDeleted: IsNull() };
    let count = 0;
    for (;;) {
      const found = await this.db.manager.find(JobEntity, { where, select: { id: true }, take: BATCH });
      for (const { id } of found) await this.jobs.delete(workspaceId, id);
      count += found.length;
      if (found.length < BATCH) break;
    }
    await this.jobs.eraseAll(workspaceId);
    await this.db.query(
      `UPDATE jobs SET tag = '', errors = '[]', sources = '[]', summary = '[]', webhook = NULL, batch_id = NULL
        WHERE workspace_id = $1`,
      [workspaceId],
    );
    return count;
  }

  private async eraseFiles(workspaceId: string): Promise<number> {
    let count = 0;
    for (;;) {
      const found = await this.db.manager.find(StorageEntryEntity, { where: { workspaceId }, take: BATCH });
      if (found.length === 0) return count;
      await inTransaction(this.db, (manager) => this.removals.note(manager, found));
      count += found.filter(({ isFolder }) => !isFolder).length;
    }
  }

  private async eraseRows(manager: EntityManager, workspaceId: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const ids = async (table: string): Promise<{ id: string }[]> =>
      manager.query(`SELECT id FROM ${table} WHERE workspace_id = $1`, [workspaceId]);
    const prefixes = [
      `storage/${workspaceId}`,
      `media/${workspaceId}`,
      ...(await ids('exports')).map(({ id }) => `exports/${id}`),
      ...(await ids('dictionaries')).map(({ id }) => `dictionaries/${id}`),
    ];
    const removals = prefixes.map((objectKey) => ({ objectKey }));
    await manager.createQueryBuilder().insert().into(StorageRemovalEntity).values(removals).orIgnore().execute();
    const webhooks = await manager.findBy(WebhookEntity, { workspaceId });
    for (const { id } of webhooks) await removeDeliveriesOf(manager, webhookSubscription(id));
    await manager.delete(WebhookEntity, { workspaceId });
    for (const [table, column, of] of HANGING) {
      await manager.query(
        `DELETE FROM ${table} USING ${of} o WHERE ${table}.${column} = o.id AND o.workspace_id = $1`,
        [workspaceId],
      );
    }
    for (const [kind, table] of Object.entries(OWN_TABLES)) {
      const [row] = await manager.query<{ count: string }[]>(
        `WITH gone AS (DELETE FROM ${table} WHERE workspace_id = $1 RETURNING 1) SELECT count(*) AS count FROM gone`,
        [workspaceId],
      );
      counts[kind] = Number(row?.count ?? 0);
    }
    await manager.delete(WorkspaceEntity, { id: workspaceId });
    return { ...counts, webhooks: webhooks.length };
  }
}
