import { eraseRest } from '@adit/datasets';
import { DATASET_ERASURES, TaskLoop } from '@adit/leases';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Removes what is left of datasets and classes that were deleted, in steps. */
@Injectable()
export class DatasetErasures implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: TaskLoop;

  constructor(@Inject(DataSource) db: DataSource) {
    this.loop = new TaskLoop(db, DATASET_ERASURES, { run: (task) => eraseRest(db, task) });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Resolves when all that waits now is gone. */
  idle(): Promise<void> {
    return this.loop.idle();
  }
}
