import { isoTime } from '@adit/contracts';
import { AuditEntryEntity, readPage } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { listAudit } from './audit-routes.js';

@Controller()
export class AuditController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listAudit)
  async list({ query }: Input<typeof listAudit>, { caller, request }: Exchange) {
    const rows = this.db.manager
      .createQueryBuilder(AuditEntryEntity, 'line')
      .where('line.workspaceId = :workspaceId', { workspaceId: caller.workspaceId });
    const { resource, resource_id: resourceId, action, actor_id: actorId, time_start: start, time_end: end } = query;
    if (resource !== undefined) rows.andWhere('line.resource = :resource', { resource });
    if (resourceId !== undefined) rows.andWhere('line.resourceId = :resourceId', { resourceId });
    if (action !== undefined) rows.andWhere('line.action = :action', { action });
    if (actorId !== undefined) rows.andWhere('line.actorId = :actorId', { actorId });
    if (start !== undefined) rows.andWhere('line.time >= :start', { start: new Date(start) });
    if (end !== undefined) rows.andWhere('line.time <= :end', { end: new Date(end) });
    const order = [{ by: 'line.id', kind: 'number', descending: true } as const];
    const { rows: lines, total, next } = await readPage(rows, query, order, { created: 'time' });
    return this.links.page(request, query, total, lines.map(shown), next);
  }
}

function shown(line: AuditEntryEntity) {
  return {
    id: Number(line.id),
    time: isoTime(line.time),
    actor: { kind: line.actorKind, id: line.actorId, name: line.actorName },
    action: line.action,
    resource: line.resource,
    resource_id: line.resourceId,
    fields: line.fields,
    request_id: line.requestId,
  };
}
