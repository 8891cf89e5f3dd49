import { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AuditLog } from './audit/audit-log.js';
import { AccessGuard } from './auth/access.guard.js';
import { AccessTokens } from './auth/access-tokens.js';
import { Authenticator } from './auth/authenticator.js';
import { Bootstrap } from './auth/bootstrap.js';
import { FailedLogins } from './auth/failed-logins.js';
import { RateLimits } from './auth/rate-limits.js';
import { BatchFiles } from './batches/batch-files.js';
import { Batches } from './batches/batches.js';
import { GATEWAY_CONFIG, type GatewayConfig } from './config.js';
import { CONTROLLERS } from './controllers.js';
import { Dictionaries } from './dictionaries/dictionaries.js';
import { DictionaryPins } from './dictionaries/dictionary-pins.js';
import { LanguageDetection } from './dictionaries/language-detection.js';
import { PublicDictionaries } from './dictionaries/public-dictionaries.js';
import { Mutations } from './mutations.js';
import { IdempotencyKeys } from './http/idempotency-keys.js';
import { Links } from './http/links.js';
import { Artifacts } from './jobs/artifacts.js';
import { DryRuns } from './jobs/dry-runs.js';
import { JobPreparation } from './jobs/job-preparation.js';
import { JobReader } from './jobs/job-reader.js';
import { JobSignals } from './jobs/job-signals.js';
import { RequestResolver } from './jobs/resolve-request.js';
import { ResultReader } from './jobs/result-reader.js';
import { SourceChecks } from './jobs/source-checks.js';
import { Thumbnails } from './jobs/thumbnails.js';
import { DocsController } from './openapi/docs.controller.js';
import { FileThumbnails } from './storage/file-thumbnails.js';
import { Removals } from './storage/removals.js';
import { ResumableUploads } from './storage/resumable-uploads.js';
import { StorageTree } from './storage/storage-tree.js';
import { StoredFiles } from './storage/stored-files.js';
import { UploadEntries } from './storage/upload-entries.js';
import { Uploads } from './storage/uploads.js';
import { WaitForJob } from './jobs/wait-for-job.js';
import { ModelRecords } from './models/model-records.js';
import { Models } from './models/models.js';
import { ServedModels } from './models/served-models.js';
import { WebhookLog } from './webhooks/webhook-log.js';
import { WorkspaceErasure } from './workspaces/workspace-erasure.js';
import { Webhooks } from './webhooks/webhooks.js';

/**
 * The HTTP API. Stands on the database, bus, objects, jobs and models modules. The application that holds it has to be
 * made with `gatewayAdapter` and given to `configureGateway`; until then nothing but public routes is served.
 */
@Module({})
export class GatewayModule {
  static forRoot(config: GatewayConfig, modules: ModuleRegistry): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [...CONTROLLERS, DocsController],
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        { provide: ModuleRegistry, useValue: modules },
        { provide: APP_GUARD, useClass: AccessGuard },
        AccessTokens,
        AuditLog,
        Artifacts,
        Authenticator,
        Batches,
        BatchFiles,
        Bootstrap,
        Mutations,
        Dictionaries,
        FailedLogins,
        DictionaryPins,
        DryRuns,
        FileThumbnails,
        IdempotencyKeys,
        JobPreparation,
        JobReader,
        JobSignals,
        LanguageDetection,
        Links,
        ModelRecords,
        Models,
        PublicDictionaries,
        RateLimits,
        Removals,
        RequestResolver,
        ResultReader,
        ResumableUploads,
        ServedModels,
        SourceChecks,
        StorageTree,
        StoredFiles,
        Thumbnails,
        UploadEntries,
        Uploads,
        WaitForJob,
        WebhookLog,
        Webhooks,
        WorkspaceErasure,
      ],
      exports: [AccessTokens, Bootstrap],
    };
  }
}
