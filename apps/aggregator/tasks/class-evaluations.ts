import { evaluateClass } from '@adit/datasets';
import { DATASET_CLASSES, TaskLoop, type ClaimedTask } from '@adit/leases';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Compares the images of each class that changed, once all of them were looked at. */
@Injectable()
export class ClassEvaluations extends TaskLoop {
  constructor(@Inject(DataSource) db: DataSource) {
    super(db, DATASET_CLASSES);
  }

  protected run(task: ClaimedTask): Promise<void> {
    return evaluateClass(this.db, task);
  }
}
