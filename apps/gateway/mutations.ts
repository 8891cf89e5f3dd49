import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from './audit/audit-log.js';
import { auditLines } from './audit/audit-line.js';
import { isAudited } from './audit/audit-action.js';
import { IdempotencyKeys } from './http/idempotency-keys.js';
import type { Exchange, RouteDefinition } from './http/route.js';

/**
 * Wraps every handler that changes something, inside Nest's guards and pipes: Idempotency-Key, and within it the audit
 * log, since a replay is no change. Interceptors are avoided: their observables would be a tenth of the cost of such a
 * request.
 */
@Injectable()
export class Mutations {
  constructor(
    @Inject(IdempotencyKeys) private readonly keys: IdempotencyKeys,
    @Inject(AuditLog) private readonly audit: AuditLog,
  ) {}

  /** Returns what `handle` does, or has done. */
  run(route: RouteDefinition, exchange: Exchange, handle: () => Promise<unknown>): Promise<unknown> {
    return this.keys.once(route, exchange, isAudited(route) ? () => this.audited(route, exchange, handle) : handle);
  }

  private async audited(route: RouteDefinition, exchange: Exchange, handle: () => Promise<unknown>): Promise<unknown> {
    const reply = await handle();
    for (const line of auditLines(route, exchange, reply)) {
      if (route.credential === true) await this.audit.write(line);
      else this.audit.note(line);
    }
    return reply;
  }
}
