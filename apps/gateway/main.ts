import 'reflect-metadata';
import { join, resolve } from 'node:path';
import { analysesFolder } from '@adit/analyses';
import { BusModule } from '@adit/bus';
import { DatabaseModule } from '@adit/database';
import { AnalysisRegistry } from '@adit/inference';
import { InferenceConfig, ModelsModule } from '@adit/inference/service';
import { JobsModule } from '@adit/jobs';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';
import { ObjectsModule } from '@adit/objects';
import {
  BaseConfig,
  configureLogging,
  createLogger,
  health,
  loadConfig,
  NestLogger,
  onShutdown,
  shutdown,
  SHUTDOWN_PRIORITY,
} from '@adit/runtime';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bootstrap } from './auth/bootstrap.js';
import { GatewayConfig } from './config.js';
import { configureGateway } from './configure-gateway.js';
import { GatewayModule } from './gateway.module.js';
import { gatewayAdapter } from './http/adapter.js';

/** The gateway as a process of its own; `standalone` holds the same module beside the other services. */
@Module({})
class GatewayApp {
  static with(imports: DynamicModule[]): DynamicModule {
    return { module: GatewayApp, imports };
  }
}

const config = loadConfig(BaseConfig.extend({ ...InferenceConfig.shape, ...GatewayConfig.shape }));
configureLogging({ level: config.logLevel, format: config.logFormat });
const dataDir = resolve(config.dataDir);
const [analyses, modules] = await Promise.all([AnalysisRegistry.scan(analysesFolder), loadModules()]);

const root = GatewayApp.with([
  DatabaseModule.forRoot({ driver: config.databaseDriver, directory: join(dataDir, 'database') }),
  ObjectsModule.forRoot({ driver: config.objectsDriver, root: join(dataDir, 'objects') }),
  BusModule.forRoot({ busDriver: config.busDriver }),
  JobsModule.forRoot(),
  ModelsModule.forRoot({ config, analyses, builtIn: [modelsRoot()], dataDir }),
  GatewayModule.forRoot(config, modules),
]);
const app = await NestFactory.create<NestFastifyApplication>(root, gatewayAdapter(config), {
  logger: new NestLogger(),
  abortOnError: false,
});
await configureGateway(app);
await app.init();
const { key } = await app.get(Bootstrap).ensureBootstrapKey({ apiKey: config.apiKey });
// The only time it can be shown; a log would keep it.
if (key !== null) process.stderr.write(`API key, shown once: ${key}\n`);
await app.listen(config.port, config.host);
health.started();
onShutdown('gateway', SHUTDOWN_PRIORITY.intake, () => app.close());
shutdown.listen({ graceSeconds: config.shutdownGraceSeconds });
createLogger('gateway').info({ url: await app.getUrl() }, 'listening');
