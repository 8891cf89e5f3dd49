import 'reflect-metadata';
import { BUS, BusServer, type Bus } from '@adit/bus';
import { WorkerSlots } from '@adit/leases';
import { createLogger, health, NestLogger, onShutdown, SHUTDOWN_PRIORITY } from '@adit/runtime';
import { Module, type DynamicModule, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { startOperationsServer } from './operations-server.js';
import { OperationsConfig, PlatformConfig, platformModules } from './platform.js';
import { serviceProcess } from './service-process.js';

interface Worker<Schema extends z.ZodRawShape> {
  name: string;
  /** Settings beside those of the platform. */
  settings: Schema;
  /** Its modules, on top of the platform's. */
  modules(config: WorkerConfig<Schema>): DynamicModule[] | Promise<DynamicModule[]>;
  /** Units of work that it does at once: the scheduler gives out as much as live workers can take. */
  slots?(config: WorkerConfig<Schema>): number;
  /** Prepares the process before the first message is taken, e.g. loads models. */
  warmUp?(app: INestMicroservice, config: WorkerConfig<Schema>): Promise<void>;
}

type WorkerConfig<Schema extends z.ZodRawShape> = PlatformConfig & OperationsConfig & z.output<z.ZodObject<Schema>>;

@Module({})
class WorkerModule {
  static of(imports: DynamicModule[]): DynamicModule {
    return { module: WorkerModule, imports };
  }
}

/** Runs one service without an API as a process: its handlers read the bus, its probes answer on the operations port. */
export async function runWorker<Schema extends z.ZodRawShape>(worker: Worker<Schema>): Promise<void> {
  const schema = z.object({ ...PlatformConfig.shape, ...OperationsConfig.shape, ...worker.settings });
  await serviceProcess(worker.name, schema, async (loaded) => {
    // The schema parses to this type; the compiler does not add up its parts.
    const config = loaded as WorkerConfig<Schema>;
    const operations = await startOperationsServer({ port: config.operationsPort, host: config.operationsHost });
    onShutdown('operations', SHUTDOWN_PRIORITY.drivers, () => operations.close());
    const imports = [...platformModules(config, worker.name), ...(await worker.modules(config))];
    const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(WorkerModule.of(imports), {
      useFactory: (bus: Bus) => ({ strategy: new BusServer(bus) }),
      inject: [BUS],
      logger: new NestLogger(),
      abortOnError: false,
    });
    onShutdown(worker.name, SHUTDOWN_PRIORITY.work, () => app.close());
    await worker.warmUp?.(app, config);
    await app.listen();
    const slots = worker.slots?.(config) ?? 0;
    if (slots > 0) {
      const announced = new WorkerSlots(app.get(DataSource, { strict: false }), slots);
      onShutdown('worker slots', SHUTDOWN_PRIORITY.work, () => announced.onApplicationShutdown());
      announced.onApplicationBootstrap();
    }
    health.started();
    createLogger(worker.name).info({ operationsPort: operations.port }, 'working');
  });
}
