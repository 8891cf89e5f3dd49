/** The gateway as a process of its own. */
import 'reflect-metadata';
import { resolve } from 'node:path';
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';
import { InferenceConfig, ModelsModule } from '@adit/inference-service';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';
import { createLogger, health, NestLogger, onShutdown, SHUTDOWN_PRIORITY } from '@adit/runtime';
import { PlatformConfig, platformModules, serviceProcess } from '@adit/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bootstrap } from './auth/bootstrap.js';
import { GatewayConfig } from './config.js';
import { configureGateway } from './configure-gateway.js';
import { GatewayModule } from './gateway.module.js';
import { gatewayAdapter } from './http/server/adapter.js';
import { addressOf } from './http/server/tls.js';

@Module({})
class GatewayApp {
  static of(imports: DynamicModule[]): DynamicModule {
    return { module: GatewayApp, imports };
  }
}

const schema = PlatformConfig.extend({ ...InferenceConfig.shape, ...GatewayConfig.shape });

/** Clients that are at work send their next request sooner. */
const DRAIN_MS = 2_000;

await serviceProcess('gateway', schema, async (config) => {
  const [analyses, modules] = await Promise.all([AnalysisRegistry.scan(analysesFolder), loadModules()]);
  const root = GatewayApp.of([
    ...platformModules(config, 'gateway'),
    ModelsModule.forRoot({ config, analyses, builtIn: [modelsRoot()], dataDir: resolve(config.dataDir) }),
    GatewayModule.forRoot(config, modules),
  ]);
  const app = await NestFactory.create<NestFastifyApplication>(root, gatewayAdapter(config), {
    logger: new NestLogger(),
    abortOnError: false,
  });
  // Jobs are taken without the bus (the outbox waits for it) and most requests answered without the object store. Were all
  // gateways out of service, clients would get a balancer's error instead of an answer, or of a 503 that says when to come.
  health.tolerate('bus', 'objects');
  onShutdown('gateway', SHUTDOWN_PRIORITY.work, () => app.close());
  const { drain } = await configureGateway(app);
  onShutdown('connections', SHUTDOWN_PRIORITY.intake, () => drain(DRAIN_MS));
  await app.init();
  const { key } = await app.get(Bootstrap).ensureBootstrapKey({ apiKey: config.apiKey });
  // The only time it can be shown; a log would keep it.
  if (key !== null) process.stderr.write(`API key, shown once: ${key}\n`);
  await app.listen(config.port, config.host);
  health.started();
  createLogger('gateway').info({ url: await addressOf(app) }, 'listening');
});
