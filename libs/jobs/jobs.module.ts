import { Global, Module, type DynamicModule } from '@nestjs/common';
import { BatchCommands } from './commands/batch-commands.js';
import { DictionaryStore } from '@adit/dictionaries';
import { Canaries, ModelStore } from '@adit/model-store';
import { JobCommands } from './commands/job-commands.js';
import { OutboxRelay } from '@adit/outbox';
import { JOB_SETTINGS, JobSettings } from './scheduling/settings.js';

/**
 * Provides commands on jobs, the files of dictionaries and models, and the outbox, for every app of a process.
 * Requires the database, bus and objects modules.
 */
@Global()
@Module({})
export class JobsModule {
  static forRoot(settings: Partial<JobSettings> = {}): DynamicModule {
    return {
      module: JobsModule,
      providers: [
        { provide: JOB_SETTINGS, useValue: JobSettings.parse(settings) },
        OutboxRelay,
        JobCommands,
        BatchCommands,
        DictionaryStore,
        ModelStore,
        Canaries,
      ],
      exports: [JOB_SETTINGS, OutboxRelay, JobCommands, BatchCommands, DictionaryStore, ModelStore, Canaries],
    };
  }
}
