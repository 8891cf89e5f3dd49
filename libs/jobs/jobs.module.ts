import {
  Global,
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { BatchCommands } from './commands/batch-commands.js';
import { DictionaryStore } from '@adit/dictionaries';
import { Canaries, ModelStore } from '@adit/model-store';
import { JobCommands } from './commands/job-commands.js';
import { BUS, type Bus } from '@adit/bus';
import { DueWork } from '@adit/leases';
import { OutboxRelay, SELDOM_POLL_MS, UNSENT } from '@adit/outbox';
import { DataSource } from 'typeorm';
import { JOB_SETTINGS, JobSettings } from './scheduling/settings.js';

/** Has messages published that other processes left behind. */
@Injectable()
class LeftMessages implements OnApplicationBootstrap, OnApplicationShutdown {
  private unwatch: (() => Promise<void>) | null = null;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
  ) {}

  onApplicationBootstrap(): void {
    const found = (): void => this.outbox.nudge();
    this.unwatch = DueWork.of(this.db).watch({ name: 'outbox', due: UNSENT, found });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.unwatch?.();
  }
}

/**
 * Provides commands on jobs, the files of dictionaries and models, and the outbox, for every app of a process.
 * Requires the database, bus and objects modules.
 */
@Global()
@Module({})
export class JobsModule {
  /** `polls`: it looks each second, by turns, for messages that other processes left behind, otherwise seldom. */
  static forRoot(settings: Partial<JobSettings> = {}, { polls = true } = {}): DynamicModule {
    return {
      module: JobsModule,
      providers: [
        { provide: JOB_SETTINGS, useValue: JobSettings.parse(settings) },
        {
          provide: OutboxRelay,
          useFactory: (db: DataSource, bus: Bus) => new OutboxRelay(db, bus, SELDOM_POLL_MS),
          inject: [DataSource, BUS],
        },
        ...(polls ? [LeftMessages] : []),
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
