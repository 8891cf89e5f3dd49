import { AditError } from '@adit/contracts';
import { DatasetImportEntity } from '@adit/database';
import { failImport, giveImportUp, importDataset } from '@adit/datasets';
import { DATASET_IMPORTS, TaskLoop, type ClaimedTask } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AGGREGATOR_SETTINGS, type AggregatorSettings } from '../settings.js';

/** Time slice of an import, after which a waiting one of another workspace goes first. */
const TIME_SLICE_MS = 10_000;

/** Imports pictures into datasets, one import at a time; workspaces share the time in slices. */
@Injectable()
export class DatasetImports extends TaskLoop {
  protected readonly timeSliceMs: number = TIME_SLICE_MS;

  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(AGGREGATOR_SETTINGS) private readonly settings: AggregatorSettings,
  ) {
    super(db, DATASET_IMPORTS);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const { db, objects, settings } = this;
    const { workspaceId } = await db.manager.findOneByOrFail(DatasetImportEntity, task.key);
    const began = performance.now();
    const isOthersTurn = async (): Promise<boolean> => {
      this.refuseWhenStopping();
      return performance.now() - began >= this.timeSliceMs && (await this.othersWait(workspaceId));
    };
    try {
      await importDataset(task, { ...settings, db, objects, mustYield: isOthersTurn });
    } catch (error) {
      const problem = AditError.from(error);
      if (problem.retryable) throw error;
      await failImport(db, task, problem.message);
    }
  }

  protected override gaveUp(task: ClaimedTask, message: string): Promise<void> {
    return giveImportUp(this.db, task, message);
  }

  /** Stops with the process: the next process continues the import after the imported pictures. */
  private refuseWhenStopping(): void {
    if (this.stopping) throw new AditError('UNAVAILABLE', 'This process is shutting down; another one continues.');
  }
}
