import type { StorageUse } from '@adit/contracts';
import { storageLimit, storageUsedByKind } from '@adit/storage';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { getStorageUse } from './storage-routes.js';

@Controller()
export class StorageUseController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'storageBytes'>,
  ) {}

  @Route(getStorageUse)
  async use(_input: Input<typeof getStorageUse>, { caller: { workspaceId } }: Exchange): Promise<StorageUse> {
    const { manager } = this.db;
    const limit = await storageLimit(manager, workspaceId, this.config.storageBytes);
    const kinds = await storageUsedByKind(manager, workspaceId);
    const used = kinds.uploads + kinds.transcripts + kinds.recordings;
    return { limit, used, free: limit === null ? null : Math.max(0, limit - used), ...kinds };
  }
}
