import { ping } from '@adit/database';
import { LiveProcess } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { buildVersion, health } from '@adit/runtime';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';

/**
 * Longer than a slow answer takes: it is the same for all processes, which would otherwise all be taken out of service at once,
 * for a second in which requests would only have been slow. Shorter than probes wait (10 s in the chart).
 */
const ANSWER_MS = 8_000;

/** Makes readiness depend on the database and the object store; the bus sees to itself. Announces the process to the others. */
@Module({})
export class DependenciesModule implements OnModuleInit, OnApplicationShutdown {
  private unregister: (() => void)[] = [];

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  static forRoot(service: string): DynamicModule {
    const announced = {
      provide: LiveProcess,
      useFactory: (db: DataSource) => new LiveProcess(db, { service, version: buildVersion() }),
      inject: [DataSource],
    };
    return { module: DependenciesModule, providers: [announced] };
  }

  onModuleInit(): void {
    this.unregister = [
      health.register('database', () => ping(this.db), ANSWER_MS),
      health.register('objects', () => this.objects.ping(), ANSWER_MS),
    ];
  }

  onApplicationShutdown(): void {
    for (const unregister of this.unregister) unregister();
  }
}
