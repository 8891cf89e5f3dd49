import { AditError, type PageQuery, type StorageCredentialsRequest } from '@adit/contracts';
import {
  inTransaction,
  isUniqueViolation,
  isUuid,
  readPage,
  refuseBeyond,
  rowsOfWorkspace,
  StorageCredentialEntity,
  type Beside,
  type FoundPage,
  type RowsOfWorkspace,
} from '@adit/database';
import { encryptText } from '@adit/encryption';
import type { DataSource, EntityManager } from 'typeorm';
import { SECRET_KEY } from './secret-key.js';

/** Buckets that one workspace may have credentials for. */
const MOST = 1_000;

/** Rows erased with their workspace. */
export const STORAGE_CREDENTIAL_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('storage_credentials', { kind: 'storage_credentials' }),
];

/** The storage credentials of workspaces. */
export class StoredCredentials {
  constructor(
    private readonly db: DataSource,
    private readonly encryptionKey: string | undefined,
  ) {}

  /** The oldest first. */
  list(workspaceId: string, page: Partial<PageQuery>): Promise<FoundPage<StorageCredentialEntity>> {
    const found = this.db.manager.createQueryBuilder(StorageCredentialEntity, 'c').where({ workspaceId });
    return readPage(found, page, [
      { by: 'c.timeCreated', kind: 'time' },
      { by: 'c.id', kind: 'uuid' },
    ]);
  }

  /** Throws NOT_FOUND, also for another workspace's. */
  async get(workspaceId: string, id: string): Promise<StorageCredentialEntity> {
    const row = isUuid(id) ? await this.db.manager.findOneBy(StorageCredentialEntity, { id, workspaceId }) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There are no storage credentials ${id}.`);
    return row;
  }

  /** Throws CONFLICT when the workspace has credentials for the bucket, VALIDATION when nothing would encrypt them. */
  async create(workspaceId: string, id: string, fields: StorageCredentialsRequest, beside: Beside): Promise<void> {
    const row = { id, workspaceId, ...this.columnsOf(workspaceId, fields) };
    await this.oneOfBucket(fields.bucket, async (manager) => {
      await beside(manager);
      await refuseBeyond(manager, {
        ...{ kind: 'storage credentials', ownerId: workspaceId, most: MOST },
        rows: 'SELECT 1 FROM storage_credentials WHERE workspace_id = $1',
        message: `A workspace has credentials for at most ${MOST} buckets; delete some first.`,
      });
      await manager.insert(StorageCredentialEntity, row);
    });
  }

  /** Throws as `create`, and NOT_FOUND. */
  async replace(workspaceId: string, id: string, fields: StorageCredentialsRequest): Promise<void> {
    const columns = this.columnsOf(workspaceId, fields);
    await this.get(workspaceId, id);
    await this.oneOfBucket(fields.bucket, (manager) =>
      manager.update(StorageCredentialEntity, { id, workspaceId }, columns),
    );
  }

  /** Throws NOT_FOUND. */
  async remove(workspaceId: string, id: string): Promise<void> {
    await this.get(workspaceId, id);
    await this.db.manager.delete(StorageCredentialEntity, { id, workspaceId });
  }

  private columnsOf(workspaceId: string, fields: StorageCredentialsRequest) {
    if (this.encryptionKey === undefined) {
      const why = 'Secret keys are stored encrypted, for which this installation needs ADIT_ENCRYPTION_KEY.';
      throw new AditError('VALIDATION', why);
    }
    const { bucket, endpoint, region, access_key: accessKey, secret_key: secret, path_style: pathStyle } = fields;
    const secretKey = encryptText(SECRET_KEY, secret, workspaceId, this.encryptionKey);
    return { bucket, endpoint: new URL(endpoint).origin, region, accessKey, secretKey, pathStyle };
  }

  private async oneOfBucket(bucket: string, work: (manager: EntityManager) => Promise<unknown>): Promise<void> {
    try {
      await inTransaction(this.db, work);
    } catch (error) {
      if (!isUniqueViolation(error, 'storage_credentials_of_bucket')) throw error;
      throw new AditError(
        'CONFLICT',
        `The workspace has storage credentials for the bucket ${bucket}; replace those.`,
        {
          cause: error,
        },
      );
    }
  }
}
