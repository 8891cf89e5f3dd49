import { BackgroundService } from '@adit/outbox';
import { KEPT_EVERY_MS, keepWorkDirectory } from '@adit/service';
import { Inject, Injectable } from '@nestjs/common';
import { WORK_DIRECTORY } from './config.js';

/** Claims this process's folder again and again, so that others do not take it for abandoned. */
@Injectable()
export class WorkFolder extends BackgroundService {
  constructor(@Inject(WORK_DIRECTORY) private readonly directory: string) {
    super('work-folder', KEPT_EVERY_MS);
  }

  protected round(): Promise<void> {
    return keepWorkDirectory(this.directory);
  }
}
