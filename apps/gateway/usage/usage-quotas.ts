import { isUsedUp, quotaExceeded, usageQuotas } from '@adit/usage';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KeyMemory } from '../auth/key-memory.js';
import { quotaRefusals } from '../metrics.js';

/** Refuses orders of workspaces that have used up a quota of what analyses take. */
@Injectable()
export class UsageQuotas {
  /** Workspaces without a quota, for a second: their orders ask the database nothing. */
  private readonly unlimited = new KeyMemory<true>();

  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Asks for what is counted by now, by whatever process. Throws QUOTA_EXCEEDED. */
  async check(workspaceId: string): Promise<void> {
    await this.unlimited.find(workspaceId, async () => {
      const quotas = await usageQuotas(this.db, workspaceId);
      const usedUp = quotas.filter(isUsedUp);
      for (const { quota } of usedUp) quotaRefusals.inc({ quota });
      if (usedUp.length > 0) throw quotaExceeded(usedUp);
      return quotas.length === 0 ? { value: true, keyId: workspaceId } : null;
    });
  }
}
