import { inTransaction } from '@adit/database';
import {
  documentsWritten,
  indexLag,
  indexStep,
  matchStep,
  moveMatched,
  PostgresIndex,
  readAhead,
  searchAlerts,
} from '@adit/search';
import { isWanted, releaseRow, SEARCH_FEED, TaskLoop, updateHeld, type ClaimedTask } from '@adit/leases';
import { ModuleRegistry } from '@adit/module-kit';
import { raiseResourceEvents } from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Steps of one job before jobs of other workspaces get their turn. */
const STEPS_PER_TURN = 10;
/** Time after which a job that could not be indexed is tried again. */
const GIVEN_UP_SECONDS = 3_600;

/** Makes what jobs found searchable, job by job; jobs of one workspace do not hold up those of another. */
@Injectable()
export class SearchIndexing extends TaskLoop {
  private readonly index: PostgresIndex;

  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
  ) {
    super(db, SEARCH_FEED);
    this.index = new PostgresIndex(db);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    for (let steps = 1; ; steps += 1) {
      const ahead = await readAhead(this.db.manager, { modules: this.modules }, task.key.id);
      const step = await inTransaction(this.db, async (manager) => {
        // Nobody notes a change of the job until this step has ended.
        if (!(await isWanted(manager, task))) return null;
        return indexStep(manager, { index: this.index, modules: this.modules }, task.key.id, ahead);
      });
      if (step === null) return;
      documentsWritten.inc(step.written);
      if (step.unmatched) await this.raiseAlerts(task);
      if (step.over) return indexLag.observe(step.lag);
      if (this.stopping || (steps % STEPS_PER_TURN === 0 && (await this.othersWait(await this.workspaceOf(task))))) {
        await releaseRow(this.db, task, 0, { blamed: false });
        return;
      }
    }
  }

  /** Tells the workspace what its saved searches find among some new segments: once, however often it is tried. */
  private async raiseAlerts(task: ClaimedTask): Promise<void> {
    const { id: jobId } = task.key;
    const step = await matchStep(this.db, { index: this.index, modules: this.modules }, jobId);
    if (step === null) return;
    const { workspaceId, alerts } = step;
    const isRaised = await inTransaction(this.db, async (manager) => {
      if (!(await isWanted(manager, task)) || !(await moveMatched(manager, jobId, step))) return false;
      // Whoever folds results of the job waits for its row of the feed: few statements tell of everything.
      await raiseResourceEvents(
        manager,
        { id: jobId, workspaceId, jobId },
        alerts.map((alert) => ({ event: 'svc.search.on_match' as const, id: alert.search.id, data: { ...alert } })),
      );
      return true;
    });
    if (isRaised) searchAlerts.inc(alerts.reduce((sum, { matches }) => sum + matches.length, 0));
  }

  protected override async gaveUp(task: ClaimedTask, message: string): Promise<void> {
    const set = `state = 'failed', lease_until = now() + make_interval(secs => ${GIVEN_UP_SECONDS}), error_msg = $1`;
    await updateHeld(this.db, task, set, [message]);
  }

  private async workspaceOf(task: ClaimedTask): Promise<string> {
    const [row]: [{ id: string }?] = await this.db.query('SELECT workspace_id AS id FROM search_feed WHERE id = $1', [
      task.key.id,
    ]);
    return row?.id ?? '';
  }
}
