import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DatabaseConfig } from './config.js';
import { type Database, openDatabase } from './database.js';

/** Injection token of the opened database, for services that close it or read its driver. */
export const DATABASE = Symbol('Database');

/** Provides the process's database: inject `DataSource`. It is migrated before it is injected, and closes last. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** Opens the database of `config`, or uses an open one, which is closed with the application. */
  static forRoot(config: DatabaseConfig | Database): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DATABASE, useFactory: () => ('dataSource' in config ? config : openDatabase(config)) },
        { provide: DataSource, useFactory: (database: Database) => database.dataSource, inject: [DATABASE] },
      ],
      exports: [DATABASE, DataSource],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
