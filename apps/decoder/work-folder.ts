import { BackgroundService } from '@adit/outbox';
import { folderBytes } from '@adit/runtime';
import { KEPT_EVERY_MS, keepWorkDirectory } from '@adit/service';
import { Inject, Injectable } from '@nestjs/common';
import { WORK_DIRECTORY } from './config.js';
import { workBytes } from './metrics.js';

/** Claims this process's folder, cleans up after dead processes, and reports its size. */
@Injectable()
export class WorkFolder extends BackgroundService {
  constructor(@Inject(WORK_DIRECTORY) private readonly directory: string) {
    super('work-folder', KEPT_EVERY_MS);
  }

  protected async round(): Promise<void> {
    await keepWorkDirectory(this.directory);
    const { bytes } = await folderBytes(this.directory);
    workBytes.set(bytes);
  }
}
