import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DatabaseConfig } from './config.js';
import { type Database, openDatabase } from './database.js';

/** Injection token of the opened database, for what has to close it or look at its driver. */
export const DATABASE = Symbol('Database');

/** The process's database: inject `DataSource`. Migrations have run before anything gets it; it closes after all else. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** Opens the database of `config`, or takes one that is open already and is closed with the application. */
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
