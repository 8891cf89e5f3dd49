import { evaluateClass } from '@adit/datasets';
import { DATASET_CLASSES, TaskLoop } from '@adit/leases';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Compares the images of each class that changed, once all of them were looked at. */
@Injectable()
export class ClassEvaluations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: TaskLoop;

  constructor(@Inject(DataSource) db: DataSource) {
    this.loop = new TaskLoop(db, DATASET_CLASSES, { run: (task) => evaluateClass(db, task) });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Resolves when all that can be evaluated now is. */
  idle(): Promise<void> {
    return this.loop.idle();
  }
}
