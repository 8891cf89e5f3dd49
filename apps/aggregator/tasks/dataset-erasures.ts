import { eraseRest, sweepLooks } from '@adit/datasets';
import { DATASET_ERASURES, TaskLoop, updateHeld, type ClaimedTask } from '@adit/leases';
import { NudgedLoop } from '@adit/outbox';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

const LOOKS_PERIOD_MS = 3_600_000;
/** Looks that one statement removes. */
const STEP = 1_000;

/** Removes what is left of datasets and classes that were deleted, in steps, and looks that no image has. */
@Injectable()
export class DatasetErasures implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: TaskLoop;
  private readonly looks: NudgedLoop;

  constructor(@Inject(DataSource) private readonly db: DataSource) {
    this.loop = new TaskLoop(db, DATASET_ERASURES, {
      run: (task) => eraseRest(db, task),
      gaveUp: (task) => this.putOff(task),
    });
    this.looks = new NudgedLoop('dataset-looks', (stopping) => this.sweepLooks(stopping), LOOKS_PERIOD_MS);
  }

  /** What has to go is never given up: it begins anew, some time later. */
  private async putOff(task: ClaimedTask): Promise<void> {
    await updateHeld(this.db, task, "attempts = 0, lease_until = now() + interval '10 minutes'");
  }

  onApplicationBootstrap(): void {
    this.loop.start();
    this.looks.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    await this.looks.stop();
  }

  private async sweepLooks(stopping: () => boolean): Promise<void> {
    while (!stopping() && (await sweepLooks(this.db, STEP)) >= STEP);
  }

  /** Resolves when all that waits now is gone. */
  async idle(): Promise<void> {
    await this.loop.idle();
    this.looks.nudge();
    await this.looks.idle();
  }
}
