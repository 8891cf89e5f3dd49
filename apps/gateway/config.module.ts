import { ModuleRegistry } from '@adit/module-kit';
import { Module, type DynamicModule } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from './config.js';

/** The settings, and the modules that jobs can ask, for every resource. */
@Module({})
export class ConfigModule {
  static forRoot(config: GatewayConfig, modules: ModuleRegistry): DynamicModule {
    const providers = [
      { provide: GATEWAY_CONFIG, useValue: config },
      { provide: ModuleRegistry, useValue: modules },
    ];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
