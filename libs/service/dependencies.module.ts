import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { health } from '@adit/runtime';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Makes readiness depend on the database and the object store; the bus sees to itself. */
@Module({})
export class DependenciesModule implements OnModuleInit, OnApplicationShutdown {
  private unregister: (() => void)[] = [];

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  static forRoot(): DynamicModule {
    return { module: DependenciesModule };
  }

  onModuleInit(): void {
    this.unregister = [
      health.register('database', () => this.db.query('SELECT 1')),
      health.register('objects', () => this.objects.ping()),
    ];
  }

  onApplicationShutdown(): void {
    for (const unregister of this.unregister) unregister();
  }
}
