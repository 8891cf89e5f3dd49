import { eraseRest, sweepInferences } from '@adit/datasets';
import { DATASET_ERASURES, TaskLoop, updateHeld, type ClaimedTask } from '@adit/leases';
import { NudgedLoop } from '@adit/outbox';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const ANALYSES_PERIOD_MS = 3_600_000;
/** Analyses that one statement removes. */
const STEP = 1_000;

/** Removes the remains of deleted datasets and classes, in steps, and analyses without images. */
@Injectable()
export class DatasetErasures extends TaskLoop {
  private readonly analyses: NudgedLoop;

  constructor(@Inject(DataSource) db: DataSource) {
    super(db, DATASET_ERASURES);
    this.analyses = new NudgedLoop('dataset-looks', () => this.sweepImageAnalyses(), ANALYSES_PERIOD_MS);
  }

  protected run(task: ClaimedTask): Promise<void> {
    return eraseRest(this.db, task);
  }

  /** An erasure is never given up: it begins anew, some time later. */
  protected override async gaveUp(task: ClaimedTask): Promise<void> {
    await updateHeld(this.db, task, "attempts = 0, lease_until = now() + interval '10 minutes'");
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    this.analyses.start();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await this.analyses.stop();
  }

  private async sweepImageAnalyses(): Promise<void> {
    while (!this.stopping && (await sweepInferences(this.db, STEP)) >= STEP);
  }

  /** Resolves when all pending erasures are done. */
  override async idle(): Promise<void> {
    await super.idle();
    this.analyses.nudge();
    await this.analyses.idle();
  }
}
