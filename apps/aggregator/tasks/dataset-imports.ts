import { AditError } from '@adit/contracts';
import { failImport, giveImportUp, importDataset } from '@adit/datasets';
import { DATASET_IMPORTS, TaskLoop, type ClaimedTask } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import type { StorageSettings } from '@adit/storage';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Injection token of the settings of the storage. */
export const STORAGE_SETTINGS = Symbol('StorageSettings');

/** Imports pictures into datasets, one import after the other. */
@Injectable()
export class DatasetImports implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: TaskLoop;
  private stopping = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(STORAGE_SETTINGS) private readonly settings: StorageSettings,
  ) {
    this.loop = new TaskLoop(db, DATASET_IMPORTS, {
      run: (task) => this.run(task),
      gaveUp: (task, message) => giveImportUp(db, task, message),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Leaves the one under way to whoever comes next, behind what was imported. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.loop.stop();
  }

  /** Resolves when all that waits now is imported. */
  idle(): Promise<void> {
    return this.loop.idle();
  }

  private async run(task: ClaimedTask): Promise<void> {
    const { db, objects } = this;
    const { storageBytes } = this.settings;
    try {
      await importDataset(task, { db, objects, storageBytes, goOn: () => this.goOn() });
    } catch (error) {
      const problem = AditError.from(error);
      if (problem.retryable) throw error;
      await failImport(db, task, problem.message);
    }
  }

  private goOn(): void {
    if (this.stopping) throw new AditError('UNAVAILABLE', 'This process ends; another one goes on.');
  }
}
