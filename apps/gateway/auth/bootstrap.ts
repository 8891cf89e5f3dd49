import { randomUUID } from 'node:crypto';
import { ApiKeyEntity, inTransaction, WorkspaceEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, Like, Not, type EntityManager } from 'typeorm';
import { hashApiKey, KEY_PREFIX, newApiKey, newSigningSecret, shownPrefix } from './api-key.js';

/**
 * The key that came from a configuration rather than from a person. Nothing of it is shown: it may be short. Others may be
 * called the same, but they were made here, and begin with what those begin with.
 */
const CONFIGURED = { name: 'configured', prefix: '' };

interface BootstrapKey {
  /** The key in clear, only when it was made now; nobody can show it again. */
  key: string | null;
  workspaceId: string;
}

/** Makes what a fresh installation needs before its first request. */
@Injectable()
export class Bootstrap {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /**
   * Makes the default workspace and its first admin key when there are none. A given `apiKey` is made valid at every
   * start, and the one that was given before is no more; without one a key is made only when the workspace has none of an admin.
   */
  async ensureBootstrapKey({ apiKey }: { apiKey?: string | undefined }): Promise<BootstrapKey> {
    return inTransaction(this.db, async (manager) => {
      // Two processes that start together must not make two workspaces.
      await manager.query('LOCK TABLE workspaces IN EXCLUSIVE MODE');
      const where = { timeDeleted: IsNull() };
      let workspace = await manager.findOne(WorkspaceEntity, { where, order: { timeCreated: 'ASC' } });
      if (workspace === null) {
        workspace = manager.create(WorkspaceEntity, {
          id: randomUUID(),
          name: 'default',
          signingSecret: newSigningSecret(),
        });
        await manager.insert(WorkspaceEntity, workspace);
      }
      const workspaceId = workspace.id;
      const hash = apiKey === undefined ? '' : hashApiKey(apiKey);
      // A person may have renamed it since.
      await manager.delete(ApiKeyEntity, { prefix: CONFIGURED.prefix, hash: Not(hash) });
      // Before, what was shown of them was their beginning.
      const prefix = Not(Like(`${KEY_PREFIX}%`));
      await manager.delete(ApiKeyEntity, { name: CONFIGURED.name, prefix, hash: Not(hash) });
      const known =
        apiKey === undefined
          ? await manager.existsBy(ApiKeyEntity, { workspaceId, role: 'admin' })
          : await this.makeValid(manager, apiKey);
      if (known) return { key: null, workspaceId };
      const key = apiKey ?? newApiKey();
      await manager.insert(ApiKeyEntity, {
        id: randomUUID(),
        workspaceId,
        ...(apiKey === undefined ? { name: 'bootstrap', prefix: shownPrefix(key) } : CONFIGURED),
        hash: hashApiKey(key),
        role: 'admin',
        isOwner: true,
      });
      return { key: apiKey === undefined ? key : null, workspaceId };
    });
  }

  /** Tells whether the key is there; rotating it does not outlive a start that names it again. */
  private async makeValid(manager: EntityManager, key: string): Promise<boolean> {
    const { affected } = await manager.update(
      ApiKeyEntity,
      { hash: hashApiKey(key) },
      { timeExpires: null, prefix: CONFIGURED.prefix },
    );
    return affected === 1;
  }
}
