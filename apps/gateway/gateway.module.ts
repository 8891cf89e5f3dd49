import { ModuleRegistry } from '@adit/mining';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './auth/access.guard.js';
import { Authenticator } from './auth/authenticator.js';
import { Bootstrap } from './auth/bootstrap.js';
import { GATEWAY_CONFIG, type GatewayConfig } from './config.js';
import { CONTROLLERS } from './controllers.js';
import { Links } from './http/links.js';
import { DryRuns } from './jobs/dry-runs.js';
import { JobReader } from './jobs/job-reader.js';
import { JobSignals } from './jobs/job-signals.js';
import { RequestResolver } from './jobs/resolve-request.js';
import { SourceChecks } from './jobs/source-checks.js';
import { WaitForJob } from './jobs/wait-for-job.js';

/**
 * The HTTP API. Stands on the database, bus, objects, jobs and models modules. The application that holds it has to be
 * made with `gatewayAdapter` and given to `configureGateway`; until then nothing but public routes is served.
 */
@Module({})
export class GatewayModule {
  static forRoot(config: GatewayConfig, modules: ModuleRegistry): DynamicModule {
    return {
      module: GatewayModule,
      controllers: CONTROLLERS,
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        { provide: ModuleRegistry, useValue: modules },
        { provide: APP_GUARD, useClass: AccessGuard },
        Authenticator,
        Bootstrap,
        DryRuns,
        JobReader,
        JobSignals,
        Links,
        RequestResolver,
        SourceChecks,
        WaitForJob,
      ],
      exports: [Bootstrap],
    };
  }
}
