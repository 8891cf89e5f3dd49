import { randomUUID } from 'node:crypto';
import { ApiKeyEntity, inTransaction, WorkspaceEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { hashApiKey, newApiKey, newSigningSecret, shownPrefix } from './api-key.js';

/** Name of the keys that came from a configuration rather than from a person. */
const CONFIGURED = 'configured';

export interface BootstrapKey {
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
   * start, so that a changed ADIT_API_KEY works; without one a key is made only when the workspace has none but those.
   */
  async ensureBootstrapKey({ apiKey }: { apiKey?: string | undefined }): Promise<BootstrapKey> {
    return inTransaction(this.db, async (manager) => {
      // Two processes that start together must not make two workspaces.
      await manager.query('LOCK TABLE workspaces IN EXCLUSIVE MODE');
      let workspace = await manager.findOne(WorkspaceEntity, { where: {}, order: { timeCreated: 'ASC' } });
      if (workspace === null) {
        workspace = manager.create(WorkspaceEntity, {
          id: randomUUID(),
          name: 'default',
          signingSecret: newSigningSecret(),
        });
        await manager.insert(WorkspaceEntity, workspace);
      }
      const workspaceId = workspace.id;
      const known =
        apiKey === undefined
          ? await manager.existsBy(ApiKeyEntity, { workspaceId, name: Not(CONFIGURED) })
          : await this.makeValid(manager, hashApiKey(apiKey));
      if (known) return { key: null, workspaceId };
      const key = apiKey ?? newApiKey();
      await manager.insert(ApiKeyEntity, {
        id: randomUUID(),
        workspaceId,
        name: apiKey === undefined ? 'bootstrap' : CONFIGURED,
        prefix: shownPrefix(key),
        hash: hashApiKey(key),
        role: 'admin',
      });
      return { key: apiKey === undefined ? key : null, workspaceId };
    });
  }

  /** Whether the key is there; rotating it does not outlive a start that names it again. */
  private async makeValid(manager: EntityManager, hash: string): Promise<boolean> {
    const { affected } = await manager.update(ApiKeyEntity, { hash }, { timeExpires: null });
    return affected === 1;
  }
}
