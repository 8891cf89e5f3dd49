import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Settings of everything that runs or names models. */
export const InferenceConfig = z.object({
  modelsDir: setting(
    'ADIT_MODELS_DIR',
    z.string().optional(),
    'Model repository of your own: galleries and models dropped here are served while running. Default: `models` in the data folder.',
  ),
  providers: setting(
    'ADIT_PROVIDERS',
    z.array(z.enum(['tensorrt', 'cuda', 'cpu'])).default(['cpu']),
    'ONNX Runtime execution providers in order of preference; one that is not there is skipped and the log says so.',
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
  inferenceConcurrency: setting(
    'ADIT_INFERENCE_CONCURRENCY',
    z.int().positive().max(64).default(2),
    'Chunks that one inference process works on at the same time.',
  ),
});
export type InferenceConfig = z.infer<typeof InferenceConfig>;
