import { ModuleRegistry } from '@adit/module-kit';
import { createLogger } from '@adit/runtime';
import { receiverPolicy, removeEndedDeliveries, Sender } from '@adit/webhooks';
import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { NOTIFIER_CONFIG, type NotifierConfig } from './config.js';
import { Dispatcher } from './dispatcher.js';
import { EventsHandler } from './events.handler.js';
import { JobWebhooks } from './job-webhooks.js';
import { ResourceWebhooks } from './resource-webhooks.js';
import { WorkspaceSecrets } from './workspace-secrets.js';

const log = createLogger('notifier');
const SWEEP_PERIOD_MILLISECONDS = 60_000;

/** Delivers webhooks. Requires the database, bus and objects modules. */
@Module({})
export class NotifierModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | null = null;

  constructor(
    @Inject(Dispatcher) private readonly dispatcher: Dispatcher,
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(NOTIFIER_CONFIG) private readonly config: NotifierConfig,
  ) {}

  /** `modules` names the results of on_detailed_result. Throws VALIDATION when an allowed network is not in CIDR form. */
  static forRoot(config: NotifierConfig, modules: ModuleRegistry): DynamicModule {
    const { webhookTimeoutSeconds: timeoutSeconds, webhookConcurrency, webhooksPerReceiver } = config;
    const policy = receiverPolicy(config);
    return {
      module: NotifierModule,
      controllers: [EventsHandler],
      providers: [
        { provide: NOTIFIER_CONFIG, useValue: config },
        { provide: ModuleRegistry, useValue: modules },
        JobWebhooks,
        ResourceWebhooks,
        WorkspaceSecrets,
        {
          provide: Dispatcher,
          inject: [DataSource, WorkspaceSecrets, ResourceWebhooks],
          useFactory: (db: DataSource, workspaces: WorkspaceSecrets, webhooks: ResourceWebhooks) =>
            new Dispatcher(db, new Sender({ policy, timeoutSeconds }), [workspaces, webhooks], {
              timeoutSeconds,
              concurrency: webhookConcurrency,
              perReceiver: webhooksPerReceiver,
            }),
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    this.dispatcher.start();
    this.timer = setInterval(() => void (this.sweeping ??= this.sweep()), SWEEP_PERIOD_MILLISECONDS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.dispatcher.stop();
    await this.sweeping;
  }

  private async sweep(): Promise<void> {
    try {
      const before = new Date(Date.now() - this.config.webhookRetentionDays * 86_400_000);
      await removeEndedDeliveries(this.db.manager, before);
    } catch (error) {
      log.warn({ err: error }, 'sweeping deliveries failed; the next run tries again');
    } finally {
      this.sweeping = null;
    }
  }
}
