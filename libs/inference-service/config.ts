import { join } from 'node:path';
import { PROVIDERS } from '@adit/inference/providers';
import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Settings of everything that runs or names models. */
export const InferenceConfig = z.object({
  modelsDir: setting(
    'ADIT_MODELS_DIR',
    z.string().optional(),
    'Model repository of your own: galleries and models dropped here are served while running. Default: `models` in the data folder.',
  ),
  modelCacheBytes: setting(
    'ADIT_MODEL_CACHE_BYTES',
    z
      .int()
      .positive()
      .default(4 * 1024 ** 3),
    'Bytes of model versions from the object store that are kept in `model-cache` in the data folder. The least recently used goes; more is kept only while all of it is in use.',
  ),
  providers: setting(
    'ADIT_PROVIDERS',
    z.array(z.enum(PROVIDERS)).min(1).default(['cpu']),
    'ONNX Runtime execution providers in order of preference; one that does not work is skipped, and the log, a metric and /readyz say so. With `cuda` alone a broken GPU makes the process not ready instead of slow.',
  ),
  float16Families: setting(
    'ADIT_FLOAT16_FAMILIES',
    z.array(z.string().min(1)).default([]),
    'Families of analyses (`face`, `landmark`, `object`, `text`) whose networks calculate in float16, faster on a GPU and with slightly other numbers; what was seen in float32 is not found again. Has to be the same for the gateway and the processes of these families, which must not have `cpu` among their `ADIT_PROVIDERS`. What a network cannot do in float16 stays in float32; `adit doctor` names networks that stay as a whole.',
  ),
  inferenceDevice: setting(
    'ADIT_INFERENCE_DEVICE',
    z.int().nonnegative().max(255).default(0),
    'Number of the GPU that `cuda` and `tensorrt` run on, among those that the process sees. `webgpu` takes the one that its driver prefers.',
  ),
  inferenceThreads: setting(
    'ADIT_INFERENCE_THREADS',
    z.int().positive().max(256).optional(),
    'Threads of one model run on the CPU. Default: the cores, shared among the inference workers.',
  ),
  inferenceWorkers: setting(
    'ADIT_INFERENCE_WORKERS',
    z.int().nonnegative().max(64).optional(),
    'Worker threads that run the models, each with its own copy of them; 0 runs them in the main thread. Default: 2 on a CPU of several cores, else 1.',
  ),
  modelMemoryBytes: setting(
    'ADIT_MODEL_MEMORY_BYTES',
    z.int().positive().optional(),
    'Bytes of weights that one process keeps in memory, that of its GPU included: beyond that it unloads the model that has not been used for longest. What runs need beside the weights comes on top. Default: 32 idle models.',
  ),
  workspaceModelMemoryBytes: setting(
    'ADIT_WORKSPACE_MODEL_MEMORY_BYTES',
    z
      .int()
      .min(256 * 1024 ** 2)
      .default(4 * 1024 ** 3),
    'Bytes of memory that one model may take which a workspace added for itself: on a CPU each runs in a process of its own, which the kernel gives no more (at most half of what the container may take). A picture or chunk for which a model wants more fails of `LIMIT_EXCEEDED`.',
  ),
  workspaceModelSeconds: setting(
    'ADIT_WORKSPACE_MODEL_SECONDS',
    z.number().min(1).max(3600).default(120),
    'How long one run, or the loading, of a model may take that a workspace added for itself, in its process of its own. Beyond, the process is ended and what waits for it fails of `LIMIT_EXCEEDED`.',
  ),
  inferenceFamilies: setting(
    'ADIT_INFERENCE_FAMILIES',
    z.array(z.string().min(1)).min(1).optional(),
    'Families of analyses that one inference process serves (`face`, `landmark`, `object`, `text`), so that they share a GPU and one copy of each model. Default: its own; the engine in one process serves all.',
  ),
  inferenceConcurrency: setting(
    'ADIT_INFERENCE_CONCURRENCY',
    z.int().positive().max(64).default(2),
    'Chunks that one inference process works on at the same time.',
  ),
  inferenceBatch: setting(
    'ADIT_INFERENCE_BATCH',
    z.int().positive().max(1024).optional(),
    'Rows of one run of a model at the most; a model that takes fewer gets fewer. Default: 1 on a CPU, where batches gain nothing, and as many as a model takes on a GPU.',
  ),
  inferenceBatchDelayMs: setting(
    'ADIT_INFERENCE_BATCH_DELAY_MS',
    z.number().nonnegative().max(1000).default(0),
    'Milliseconds that a run waits for rows of others while its batch is not full; 0 takes what is there.',
  ),
});
export type InferenceConfig = z.infer<typeof InferenceConfig>;

/** The user's folder, created on demand when a gallery is written. */
export function userModelsDir(config: Pick<InferenceConfig, 'modelsDir'>, dataDir: string): string {
  return config.modelsDir ?? join(dataDir, 'models');
}
