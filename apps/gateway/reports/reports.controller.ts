import { AditError, isoTime, type Report } from '@adit/contracts';
import { inTransaction, isUuid, readPage, refuseBeyond, ReportEntity, ReportItemEntity } from '@adit/database';
import { insertReport, removeReport } from '@adit/artifacts';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Batches } from '../batches/batches.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { createReport, deleteReport, getReport, listReports, reportItems } from './report-routes.js';

/** Reports of one workspace that have not been written. */
const MAX_OPEN = 100;

/** Reports are written by the aggregator. */
@Controller()
export class ReportsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Batches) private readonly batches: Batches,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(createReport)
  async create({ params }: Input<typeof createReport>, exchange: Exchange) {
    const { newId: id, isDone, done } = exchange;
    const { workspaceId } = exchange.caller;
    if (isDone) return presentReport(await this.row(workspaceId, id));
    const { id: batchId, name } = await this.batches.get(workspaceId, params.batchId);
    await inTransaction(this.db, async (manager) => {
      await done(manager);
      await refuseBeyond(manager, {
        kind: 'reports',
        ownerId: workspaceId,
        most: MAX_OPEN,
        rows: `SELECT 1 FROM reports WHERE workspace_id = $1 AND state IN ('waiting', 'processing')`,
        message: `${MAX_OPEN} reports of this workspace are still to be written; wait for one of them.`,
      });
      await insertReport(manager, { id, workspaceId, batchId, title: `Diversity of ${name}` });
    });
    return presentReport(await this.row(workspaceId, id));
  }

  @Route(listReports)
  async list({ query }: Input<typeof listReports>, { caller: { workspaceId }, request }: Exchange) {
    const found = this.db.manager.createQueryBuilder(ReportEntity, 'r').where({ workspaceId });
    const { rows, total, next } = await readPage(found, query, [
      { by: 'r.timeCreated', kind: 'time', descending: true },
      { by: 'r.id', kind: 'uuid', descending: true },
    ]);
    return this.links.page(request, query, total, rows.map(presentReport), next);
  }

  @Route(getReport)
  async one({ params }: Input<typeof getReport>, { caller }: Exchange) {
    return presentReport(await this.row(caller.workspaceId, params.reportId));
  }

  @Route(reportItems)
  async items({ params, query }: Input<typeof reportItems>, { caller, request }: Exchange) {
    const { id: reportId } = await this.row(caller.workspaceId, params.reportId);
    const found = this.db.manager.createQueryBuilder(ReportItemEntity, 'i').where({ reportId });
    const { rows, total, next } = await readPage(found, query, [{ by: 'i.position', kind: 'number' }]);
    const data = rows.map(({ batchId, info }) => ({ content: { batch_id: batchId, report_info: info } }));
    return this.links.page(request, query, total, data, next);
  }

  @Route(deleteReport)
  async delete({ params }: Input<typeof deleteReport>, { caller }: Exchange): Promise<void> {
    const { id } = await this.row(caller.workspaceId, params.reportId);
    await inTransaction(this.db, (manager) => removeReport(manager, id));
  }

  private async row(workspaceId: string, id: string): Promise<ReportEntity> {
    const row = isUuid(id) ? await this.db.manager.findOneBy(ReportEntity, { id, workspaceId }) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no report ${id}.`);
    return row;
  }
}

function presentReport({ id, title, state, errorMsg, timeCreated }: ReportEntity): Report {
  return { id, title, type: 'diversity', state, error_msg: errorMsg, time_created: isoTime(timeCreated) };
}
