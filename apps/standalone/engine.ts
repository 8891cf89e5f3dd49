import { mkdir } from 'node:fs/promises';
import { analysesFolder } from '@adit/analyses';
import { BUS, BusServer, type Bus } from '@adit/bus';
import { AnalysisRegistry } from '@adit/inference';
import { Reconciler } from '@adit/jobs';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';
import { NestLogger } from '@adit/runtime';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { EngineConfig } from './config.js';
import { EngineModule } from './engine.module.js';

export interface Engine {
  app: NestFastifyApplication;
  close(): Promise<void>;
}

/** Boots all services in this process. What a former life left running is dispatched again before anything new. */
export async function bootEngine(config: EngineConfig): Promise<Engine> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const [analyses, modules] = await Promise.all([AnalysisRegistry.scan(analysesFolder), loadModules()]);
  const parts = { config, analyses, modules, builtInModels: [modelsRoot()] };
  const app = await NestFactory.create<NestFastifyApplication>(EngineModule.forRoot(parts), new FastifyAdapter(), {
    logger: new NestLogger(),
    abortOnError: false,
  });
  app.connectMicroservice({ strategy: new BusServer(app.get<Bus>(BUS)) }, { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.init();
  await app.get(Reconciler).recover();
  return { app, close: () => app.close() };
}
