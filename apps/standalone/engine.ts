import { mkdir } from 'node:fs/promises';
import { analysesFolder } from '@adit/analyses';
import { BUS, BusServer, type Bus } from '@adit/bus';
import { addressOf, Bootstrap, configureGateway, gatewayAdapter, isLoopback, SignInCodes } from '@adit/gateway';
import { AnalysisRegistry } from '@adit/inference';
import { Reconciler } from '@adit/jobs';
import { modelsRoot } from '@adit/models';
import { loadModules } from '@adit/modules';
import { collectBuildInfo, configureLogging, health, loadConfig, NestLogger } from '@adit/runtime';
import { claimWorkDirectory } from '@adit/service';
import { ownEncryptionKey } from '@adit/encryption';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EngineConfig } from './config.js';
import { EngineModule, type EngineParts } from './engine.module.js';

interface StartOptions {
  dataDir?: string;
  /** 0 takes any free port. */
  port?: number;
  host?: string;
  /** Folders whose files may be named as sources, beside the configured ones. */
  localRoots?: string[];
  /** Logs errors only, to stderr. */
  quiet?: boolean;
  /** Somebody looks at what it says: unless set otherwise, lines for people, one for each request too. */
  isWatched?: boolean;
  /** A key to be valid besides those made before; ADIT_API_KEY unless given. */
  apiKey?: string;
}

interface Engine {
  app: NestFastifyApplication;
  config: EngineConfig;
  /** Base address of the API, e.g. `http://127.0.0.1:8080`. */
  url: string;
  /** The first key, when it was made at this start: nobody can show it again. */
  newKey: string | null;
  /**
   * Address that signs a browser of this machine in with a key, once and within ten minutes; null where other machines can ask, or
   * without a console.
   */
  signInLink(key: string): string | null;
  close(): Promise<void>;
}

/**
 * Boots all services in this process, reading the configuration from the environment, and serves the API. What a former
 * life left running is dispatched again before anything new. Throws VALIDATION for a wrong configuration.
 */
export async function startEngine(options: StartOptions = {}): Promise<Engine> {
  // Whoever starts a quiet one alone speaks to it, by an address that no certificate names.
  const withoutTls = options.quiet === true ? { tlsCertFile: undefined, tlsKeyFile: undefined } : {};
  const config = { ...configOf(options), ...withoutTls };
  configureLogging({
    level: options.quiet ? 'error' : config.logLevel,
    format: config.logFormat,
    to: options.quiet ? 'stderr' : 'stdout',
  });
  return bootEngine(config);
}

/** The same with a configuration in hand; `given` stands in for the analyses that Adit comes with. */
export async function bootEngine(
  wanted: EngineConfig,
  given: Partial<Pick<EngineParts, 'analyses'>> = {},
): Promise<Engine> {
  collectBuildInfo('standalone');
  await mkdir(wanted.dataDir, { recursive: true, mode: 0o700 });
  const config = await withEncryptionKey(wanted);
  const [analyses, modules] = await Promise.all([
    given.analyses ?? AnalysisRegistry.scan(analysesFolder),
    loadModules(),
  ]);
  const workDirectory = await claimWorkDirectory(config, 'standalone');
  const parts = { config, analyses, modules, builtInModels: [modelsRoot()], workDirectory };
  const app = await NestFactory.create<NestFastifyApplication>(EngineModule.forRoot(parts), gatewayAdapter(config), {
    logger: new NestLogger(),
    abortOnError: false,
  });
  const close = (): Promise<void> => app.close();
  try {
    await configureGateway(app);
    app.connectMicroservice({ strategy: new BusServer(app.get<Bus>(BUS)) }, { inheritAppConfig: false });
    // Handlers first: what the outbox publishes as soon as the application starts has to find its readers.
    await app.startAllMicroservices();
    const { key } = await app.get(Bootstrap, { strict: false }).ensureBootstrapKey({ apiKey: config.apiKey });
    await app.listen({ port: config.port, host: config.host });
    // The embedded database has no other user, so whatever was running in it died with the former process.
    if (config.databaseDriver === 'pglite') await app.get(Reconciler, { strict: false }).recover();
    health.started();
    const url = await addressOf(app);
    const signInLink = (signedInWith: string): string | null => {
      if (!config.console || !isLoopback(config.host)) return null;
      const code = app.get(SignInCodes, { strict: false }).offer(signedInWith);
      return `${url}/console/#/sign-in?code=${code}`;
    };
    return { app, config, url, newKey: key, signInLink, close };
  } catch (error) {
    // Services that run already would keep the process alive and the data folder locked.
    await close().catch(() => undefined);
    throw error;
  }
}

/** The embedded database lies in a folder of ours, and with it the key of what is encrypted there. */
async function withEncryptionKey(config: EngineConfig): Promise<EngineConfig> {
  if (config.encryptionKey !== undefined || config.databaseDriver !== 'pglite') return config;
  return { ...config, encryptionKey: await ownEncryptionKey(config.dataDir) };
}

function configOf({ dataDir, port, host, apiKey, isWatched, localRoots = [] }: StartOptions): EngineConfig {
  const watched = isWatched === true ? { ADIT_LOG_FORMAT: 'pretty', ADIT_LOG_REQUESTS: 'true' } : {};
  const config = loadConfig(EngineConfig, { ...watched, ...process.env });
  return {
    ...config,
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(apiKey === undefined ? {} : { apiKey }),
    localRoots: [...config.localRoots, ...localRoots],
  };
}
