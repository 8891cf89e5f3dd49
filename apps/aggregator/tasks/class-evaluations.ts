import { ClassThread, evaluateClass } from '@adit/datasets';
import { DATASET_CLASSES, TaskLoop, type ClaimedTask } from '@adit/leases';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Compares the images of each changed class, once all of them are analysed. */
@Injectable()
export class ClassEvaluations extends TaskLoop {
  private readonly thread = new ClassThread();

  constructor(@Inject(DataSource) db: DataSource) {
    super(db, DATASET_CLASSES);
  }

  /** Comparisons of two faces so far. */
  get compared(): number {
    return this.thread.compared;
  }

  protected run(task: ClaimedTask): Promise<void> {
    return evaluateClass(this.db, task, this.thread);
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await this.thread.close();
  }
}
