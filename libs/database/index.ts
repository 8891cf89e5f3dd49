export { databaseNow, inSeconds } from './clock.js';
export type { DatabaseConfig, PgliteConfig, PostgresConfig } from './config.js';
export { type Database, openDatabase } from './database.js';
export { DATABASE, DatabaseModule } from './database.module.js';
export * from './entities/index.js';
export {
  isDatabaseFull,
  isStatementTimeout,
  isTransient,
  isUnavailable,
  isUniqueViolation,
  toAditError,
} from './errors.js';
export { noneIsDeleted } from './found-in.js';
export { GroupCommit, groupsOf, listOf } from './group-commit.js';
export { isShared, ping } from './guarded-data-source.js';
export * from './keyset-page.js';
export { containing } from './like.js';
export { AHEAD, liveProgress } from './live-progress.js';
export { schemaDifferences } from './schema.js';
export { databaseConfig, DatabaseSettings } from './settings.js';
export { inStatement, inTransaction, outsideTransaction, type Beside } from './transaction.js';
export * from './returned.js';
export * from './erasure-of-job.js';
export * from './erasure-of-workspace.js';
export {
  heldBack,
  HOLD_AHEAD_SECONDS,
  HOLD_SECONDS,
  installationSeconds,
  isHeld,
  lockHeldTags,
  retentionSeconds,
} from './retention.js';
export { refuseBeyond, tooMany, type RowQuota } from './row-quotas.js';
export { isUuid, NIL_UUID } from './uuid.js';
export { hasTrigrams } from './text-indexes.js';
export { signsOf, vectorSupport } from './vector-indexes.js';
