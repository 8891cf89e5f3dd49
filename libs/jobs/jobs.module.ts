import { Global, Module, type DynamicModule } from '@nestjs/common';
import { BatchCommands } from './commands/batch-commands.js';
import { DictionaryStore } from '@adit/dictionaries';
import { Canaries, ModelStore } from '@adit/model-store';
import { JobCommands } from './commands/job-commands.js';
import { BUS, type Bus } from '@adit/bus';
import { OutboxRelay, POLL_MS, SELDOM_POLL_MS } from '@adit/outbox';
import { DataSource } from 'typeorm';
import { JOB_SETTINGS, JobSettings } from './scheduling/settings.js';

/**
 * Provides commands on jobs, the files of dictionaries and models, and the outbox, for every app of a process.
 * Requires the database, bus and objects modules.
 */
@Global()
@Module({})
export class JobsModule {
  /** `polls`: its relay looks each second for messages that other processes left behind, otherwise seldom. */
  static forRoot(settings: Partial<JobSettings> = {}, { polls = true } = {}): DynamicModule {
    return {
      module: JobsModule,
      providers: [
        { provide: JOB_SETTINGS, useValue: JobSettings.parse(settings) },
        {
          provide: OutboxRelay,
          useFactory: (db: DataSource, bus: Bus) => new OutboxRelay(db, bus, polls ? POLL_MS : SELDOM_POLL_MS),
          inject: [DataSource, BUS],
        },
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
