import { installationValues, type RetentionValues } from '@adit/retention';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';

/** Retention of the installation: of the sweeping process's settings, and of this one's. */
@Injectable()
export class RetentionDefaults {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'auditDays' | 'jobTtlSeconds'>,
  ) {}

  async all(): Promise<RetentionValues> {
    return {
      ...(await installationValues(this.db)),
      // Given to new jobs as their ttl.
      results: this.config.jobTtlSeconds ?? null,
      audit_lines: this.config.auditDays * 86_400,
    };
  }
}
