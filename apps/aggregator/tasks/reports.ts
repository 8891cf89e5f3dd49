import { AditError, IDENTITY_LABEL_PATTERN } from '@adit/contracts';
import { inTransaction, ReportEntity } from '@adit/database';
import { completeReport } from '@adit/artifacts';
import { batchTree } from '@adit/jobs';
import { isWanted, REPORTS, TaskLoop, type ClaimedTask } from '@adit/leases';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DIVERSITY_TYPES, diversityOfTree, type BatchTotal } from './diversity.js';
import { jobSpeechTotals } from './job-speech.js';

const MODULE = 'advanced_diversity_analysis';

/** Aggregates batches, one report after the other. */
@Injectable()
export class Reports extends TaskLoop {
  constructor(@Inject(DataSource) db: DataSource) {
    super(db, REPORTS);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const { manager } = this.db;
    const { id } = task.key;
    const report = await manager.findOneBy(ReportEntity, { id });
    if (report === null) return;
    const tree = await batchTree(manager, report.workspaceId, report.batchId);
    if (tree.length === 0) throw new AditError('NOT_FOUND', 'The batch was deleted.');
    const batchIds = tree.map(({ id }) => id);
    const totals = await this.totals(manager, batchIds);
    for await (const spoken of jobSpeechTotals(manager, batchIds)) totals.push(...spoken);
    const items = diversityOfTree(tree, totals);
    await inTransaction(this.db, async (transaction) => {
      // The row is locked by this; a report that was deleted meanwhile leaves nothing.
      if (!(await isWanted(transaction, task))) return;
      await completeReport(transaction, id, items);
    });
  }

  /** People whom no job knows are one: "Unknown #3" is another person in every job. */
  private totals(manager: EntityManager, batchIds: string[]): Promise<BatchTotal[]> {
    return manager.query(
      `SELECT j.batch_id AS "batchId", s.type, c.category, sum(e.value::float8) AS value
         FROM jobs j
         JOIN summaries s ON s.job_id = j.id AND s.module_id = $2 AND s.type = ANY($3)
        CROSS JOIN LATERAL jsonb_each_text(s.meta) e
        CROSS JOIN LATERAL (SELECT CASE WHEN e.key ~ '${IDENTITY_LABEL_PATTERN}' THEN 'Unknown' ELSE e.key END AS category) c
        WHERE j.batch_id = ANY($1) AND j.time_deleted IS NULL
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      [batchIds, MODULE, DIVERSITY_TYPES],
    );
  }
}
