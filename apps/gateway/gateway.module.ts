import type { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { GatewayConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { HttpModule } from './http/http.module.js';
import { Mutations } from './mutations.js';
import { DocsController } from './openapi/docs.controller.js';
import { ConsoleController } from './pages/console.controller.js';
import { EditorController } from './pages/editor.controller.js';
import { SignInCodes } from './pages/sign-in-codes.js';
import { RESOURCES } from './resources.js';
import { SignInModule } from './sign-in/sign-in.module.js';

/**
 * The HTTP API. Stands on the database, bus, objects, jobs and models modules. The application that holds it has to be
 * made with `gatewayAdapter` and given to `configureGateway`; until then nothing but public routes is served.
 */
@Module({})
export class GatewayModule {
  static forRoot(config: GatewayConfig, modules: ModuleRegistry): DynamicModule {
    return {
      module: GatewayModule,
      imports: [ConfigModule.forRoot(config, modules), AuditModule, AuthModule, HttpModule, SignInModule, ...RESOURCES],
      controllers: [DocsController, EditorController, ConsoleController],
      providers: [Mutations, SignInCodes],
      exports: [AuthModule],
    };
  }
}
