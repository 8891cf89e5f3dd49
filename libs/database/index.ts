export type { DatabaseConfig, PgliteConfig, PostgresConfig } from './config.js';
export { type Database, openDatabase, type OpenOptions } from './database.js';
export { DATABASE, DatabaseModule } from './database.module.js';
export * from './entities/index.js';
export { isTransient, isUnavailable, isUniqueViolation, toAditError } from './errors.js';
export { isShared } from './guarded-data-source.js';
export { schemaDifferences } from './schema.js';
export { databaseConfig, DatabaseSettings } from './settings.js';
export { inStatement, inTransaction, outsideTransaction, type TransactionOptions } from './transaction.js';
