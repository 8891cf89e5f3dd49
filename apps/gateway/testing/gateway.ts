/** A gateway as it runs, with a database and a folder of its own, for the specs. */
import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analysesFolder } from '@adit/analyses';
import { BusModule } from '@adit/bus';
import { DatabaseModule } from '@adit/database';
import { AnalysisRegistry } from '@adit/inference';
import { InferenceConfig, ModelsModule } from '@adit/inference-service';
import { JobsModule } from '@adit/jobs';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';
import { ObjectsModule } from '@adit/objects';
import { configureLogging, loadConfig, health } from '@adit/runtime';
import { DependenciesModule } from '@adit/service';
import { specDatabase } from '@adit/testing';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { Bootstrap, configureGateway, gatewayAdapter, GatewayConfig, GatewayModule } from '../index.js';

/** Time limit of the hook that starts a gateway: it takes seconds, and far longer where all cores are busy. */
export const BOOT_MS = 120_000;

export interface TestGateway {
  app: NestFastifyApplication;
  db: DataSource;
  /** An admin's key. */
  key: string;
  workspaceId: string;
  dataDir: string;
  /** Asks as the admin; a body is sent as JSON. */
  ask(method: Method, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

type Method = 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH' | 'HEAD' | 'OPTIONS';

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  /** Parses a reply known to be JSON. */
  json: <T = Record<string, unknown>>() => T;
}

@Module({})
class TestRoot {
  static with(imports: DynamicModule[]): DynamicModule {
    return { module: TestRoot, imports };
  }
}

/** `more` are modules beside the gateway's, with controllers of a spec's own. */
export async function startGateway(
  settings: Partial<GatewayConfig> = {},
  more: DynamicModule[] = [],
): Promise<TestGateway> {
  configureLogging({ level: 'silent' });
  const dataDir = await mkdtemp(join(tmpdir(), 'adit-gateway-'));
  // Specs send wrong keys by the hundred, all from one address.
  const config = { ...loadConfig(GatewayConfig, {}), port: 0, failedLoginsPerMinute: 0, ...settings };
  const [analyses, modules, database] = await Promise.all([
    AnalysisRegistry.scan(analysesFolder),
    loadModules(),
    specDatabase(),
  ]);
  const root = TestRoot.with([
    DatabaseModule.forRoot(database.settings),
    ObjectsModule.forRoot({ driver: 'filesystem', root: join(dataDir, 'objects') }),
    BusModule.forRoot({ busDriver: 'in-process' }),
    JobsModule.forRoot(),
    DependenciesModule.forRoot('gateway'),
    ModelsModule.forRoot({ config: loadConfig(InferenceConfig, {}), analyses, builtIn: [modelsRoot()], dataDir }),
    GatewayModule.forRoot(config, modules),
    ...more,
  ]);
  const app = await NestFactory.create<NestFastifyApplication>(root, gatewayAdapter(config), {
    logger: false,
    abortOnError: false,
  });
  await configureGateway(app);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  health.started();
  const { key, workspaceId } = await app.get(Bootstrap).ensureBootstrapKey({});
  if (key === null) throw new Error('a fresh database had a key');
  return {
    app,
    db: app.get(DataSource),
    key,
    workspaceId,
    dataDir,
    async ask(method, url, body, headers = {}) {
      const reply = await app.inject({
        method,
        url,
        headers: { authorization: `Key ${key}`, ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      return {
        status: reply.statusCode,
        headers: reply.headers,
        text: reply.payload,
        json: () => JSON.parse(reply.payload),
      };
    },
    async close() {
      await app.close();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
