import { resolve } from 'node:path';
import { allowHeapGrowth, createLogger } from '@adit/runtime';
import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { checkGolden } from '@adit/inference';
import { AnalysisRunner } from '@adit/inference';
import { ModelRepository, type ModelVersion } from '@adit/inference';
import { AnalysisRegistry } from '@adit/inference';
import { SessionPool, type PoolObserver } from '@adit/inference';
import { ModelCache, ModelStore, StoredModels } from '@adit/model-store';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { CanaryRunner } from './canary-runner.js';
import { userModelsDir, type InferenceConfig } from './config.js';
import {
  deviceLosses,
  modelBatchRows,
  modelBytes,
  modelEvictions,
  modelLoadSeconds,
  modelProvider,
  modelRunSeconds,
  modelVersions,
  providerFallbacks,
} from './metrics.js';
import { WatchedRuns } from './run-times.js';

const log = createLogger('models');

interface ModelsModuleOptions {
  config: InferenceConfig;
  /** Folders of models that come with Adit, searched before the user's. */
  builtIn: string[];
  dataDir: string;
  analyses: AnalysisRegistry;
  /** Tests whether a version in the user's folder is known to work, and need not be run before it is served. */
  isVerified?: (model: ModelVersion) => Promise<boolean>;
  /** Called when the GPU failed and no session on it is left. */
  deviceLost?: (pool: SessionPool) => void;
}

/**
 * Model repository, session pool and analyses, shared by every app of the process. Requires the objects and jobs
 * modules.
 */
@Global()
@Module({})
export class ModelsModule implements OnApplicationShutdown {
  constructor(
    @Inject(ModelRepository) private readonly repository: ModelRepository,
    @Inject(SessionPool) private readonly pool: SessionPool,
    @Inject(ModelCache) private readonly cache: ModelCache,
  ) {}

  static forRoot(options: ModelsModuleOptions): DynamicModule {
    return {
      module: ModelsModule,
      providers: [
        {
          provide: SessionPool,
          useFactory: (watched: WatchedRuns) => createPool(options.config, { ...options, watched }),
          inject: [WatchedRuns],
        },
        WatchedRuns,
        CanaryRunner,
        {
          provide: ModelRepository,
          useFactory: (pool: SessionPool, shared: StoredModels) => openRepository(options, pool, shared),
          inject: [SessionPool, StoredModels],
        },
        {
          provide: ModelCache,
          useFactory: (objects: ObjectStore) =>
            new ModelCache(objects, {
              folder: resolve(options.dataDir, 'model-cache'),
              maxBytes: options.config.modelCacheBytes,
            }),
          inject: [OBJECT_STORE],
        },
        {
          provide: StoredModels,
          useFactory: (store: ModelStore, cache: ModelCache) => new StoredModels(store, cache),
          inject: [ModelStore, ModelCache],
        },
        { provide: AnalysisRegistry, useValue: options.analyses },
        {
          provide: AnalysisRunner,
          useFactory: (repository: ModelRepository, pool: SessionPool) => new AnalysisRunner(repository, pool),
          inject: [ModelRepository, SessionPool],
        },
      ],
      exports: [SessionPool, ModelRepository, AnalysisRegistry, AnalysisRunner, CanaryRunner],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.repository.close();
    await this.pool.close();
    await this.cache.close();
  }
}

interface PoolListeners extends Pick<ModelsModuleOptions, 'deviceLost'> {
  watched?: WatchedRuns;
}

/** Returns half of the container's memory limit in bytes; Infinity without one. */
function halfOfMemory(): number {
  const memory = process.constrainedMemory();
  return memory > 0 && memory < Number.MAX_SAFE_INTEGER ? Math.floor(memory / 2) : Infinity;
}

/** Creates the pool for the process's models from the settings. */
export function createPool(config: InferenceConfig, { deviceLost, watched }: PoolListeners = {}): SessionPool {
  const { providers, inferenceDevice, inferenceThreads, inferenceWorkers } = config;
  allowHeapGrowth();
  const said = new Set<string>();
  const pool = new SessionPool({
    onnx: {
      providers,
      device: inferenceDevice,
      ...(inferenceThreads === undefined ? {} : { threads: inferenceThreads }),
      onFallback: (from, to, reason) => {
        providerFallbacks.inc({ from, to });
        // Logged once, not for each model.
        if (said.has(from)) return;
        said.add(from);
        log.warn({ from, to, reason }, 'an execution provider cannot be used; using the next one');
      },
    },
    workers: inferenceWorkers,
    maxBatch: config.inferenceBatch,
    maxDelayMs: config.inferenceBatchDelayMs,
    maxBytes: config.modelMemoryBytes,
    apart: {
      memoryBytes: Math.min(config.workspaceModelMemoryBytes, halfOfMemory()),
      setting: 'ADIT_WORKSPACE_MODEL_MEMORY_BYTES',
      seconds: config.workspaceModelSeconds,
      secondsSetting: 'ADIT_WORKSPACE_MODEL_SECONDS',
    },
    observer: poolObserver(watched, () => deviceLost?.(pool)),
  });
  return pool;
}

/** Reports the events of the pool to the metrics and the log, and the runs to `watched`. */
function poolObserver(watched: WatchedRuns | undefined, deviceLost: () => void): PoolObserver {
  const runningOn = new Map<string, string>();
  const versions = new Map<string, number>();
  return {
    loaded: (model, provider, seconds) => {
      modelLoadSeconds.observe({ model, provider }, seconds);
      modelProvider.set({ model, provider }, 1);
      runningOn.set(model, provider);
      log.debug({ model, provider, seconds }, 'model loaded');
    },
    keptInFloat32: (model, reason) => log.warn({ model, reason }, 'a network stays in float32 as a whole'),
    ran: (model, rows, seconds, digest) => {
      watched?.ran(digest, rows, seconds);
      modelRunSeconds.observe({ model }, seconds);
      modelBatchRows.observe({ model }, rows);
    },
    kept: (model, bytes) => {
      versions.set(model, (versions.get(model) ?? 0) + 1);
      modelVersions.inc({ model });
      modelBytes.inc({ model }, bytes);
    },
    evicted: (model, bytes) => {
      modelEvictions.inc({ model });
      modelVersions.dec({ model });
      modelBytes.dec({ model }, bytes);
      const left = (versions.get(model) ?? 1) - 1;
      versions.set(model, left);
      const provider = runningOn.get(model);
      if (left === 0 && provider !== undefined) modelProvider.remove({ model, provider });
      log.debug({ model }, 'model unloaded');
    },
    lost: (reason) => {
      deviceLosses.inc();
      log.error({ reason }, 'the GPU failed; all models are reloaded');
      deviceLost();
    },
  };
}

async function openRepository(
  options: ModelsModuleOptions,
  pool: SessionPool,
  shared: StoredModels,
): Promise<ModelRepository> {
  const own = resolve(userModelsDir(options.config, options.dataDir));
  const repository = await ModelRepository.open({
    builtIn: options.builtIn,
    roots: [own],
    shared,
    watch: true,
    // Adit's own networks were verified by hash at set-up or download; running each again would slow every start.
    check: async (model) => {
      if (model.manifest.kind !== 'network' || model.builtIn || (await options.isVerified?.(model))) return;
      await pool.check(model, (run) => checkGolden(model, run));
    },
  });
  const report = (): void => {
    for (const { model, message } of repository.problems()) log.warn({ model }, `not served: ${message}`);
  };
  report();
  repository.onChange(() => {
    log.info({ models: repository.list().length }, 'the model repository changed');
    report();
  });
  return repository;
}
