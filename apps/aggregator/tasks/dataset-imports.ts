import { AditError } from '@adit/contracts';
import { failImport, giveImportUp, importDataset } from '@adit/datasets';
import { DATASET_IMPORTS, TaskLoop, type ClaimedTask } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AGGREGATOR_SETTINGS, type AggregatorSettings } from '../settings.js';

/** Imports pictures into datasets, one import after the other. */
@Injectable()
export class DatasetImports extends TaskLoop {
  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(AGGREGATOR_SETTINGS) private readonly settings: AggregatorSettings,
  ) {
    super(db, DATASET_IMPORTS);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const { db, objects, settings } = this;
    try {
      await importDataset(task, { ...settings, db, objects, checkpoint: () => this.checkpoint() });
    } catch (error) {
      const problem = AditError.from(error);
      if (problem.retryable) throw error;
      await failImport(db, task, problem.message);
    }
  }

  protected override gaveUp(task: ClaimedTask, message: string): Promise<void> {
    return giveImportUp(this.db, task, message);
  }

  /** When the process ends, the one under way is left to whoever comes next, behind what was imported. */
  private checkpoint(): void {
    if (this.stopping) throw new AditError('UNAVAILABLE', 'This process ends; another one goes on.');
  }
}
