import { eraseRest } from '@adit/datasets';
import { DATASET_ERASURES, TaskLoop, updateHeld, type ClaimedTask } from '@adit/leases';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Removes what is left of datasets and classes that were deleted, in steps. */
@Injectable()
export class DatasetErasures implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: TaskLoop;

  constructor(@Inject(DataSource) private readonly db: DataSource) {
    this.loop = new TaskLoop(db, DATASET_ERASURES, {
      run: (task) => eraseRest(db, task),
      gaveUp: (task) => this.putOff(task),
    });
  }

  /** What has to go is never given up: it begins anew, some time later. */
  private async putOff(task: ClaimedTask): Promise<void> {
    await updateHeld(this.db, task, "attempts = 0, lease_until = now() + interval '10 minutes'");
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
