import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { BaseConfig, loadConfig } from '@adit/runtime';
import { InferenceConfig, userModelsDir } from '@adit/inference-service/config';
import { modelsRoot } from '@adit/models';

export interface CliSettings {
  /** Absolute folder of the embedded database and objects. */
  dataDir: string;
  /** Model folders, Adit's own first. */
  modelRoots: string[];
  /** Absolute folder that galleries are written to. */
  userModels: string;
  inference: InferenceConfig;
}

/** Folder of weights for set-up and `model pull`; shared by all data folders. */
export function cacheFolder(): string {
  // HOME may be empty, as in some service managers.
  return process.env['ADIT_CACHE_DIR'] || join(homedir() || userInfo().homedir, '.cache/adit');
}

/** Settings of the commands that do not boot the engine. Throws VALIDATION naming wrong variables. */
export function cliSettings(dataDir?: string): CliSettings {
  const base = loadConfig(BaseConfig);
  const inference = loadConfig(InferenceConfig);
  const folder = resolve(dataDir ?? base.dataDir);
  const userModels = resolve(userModelsDir(inference, folder));
  return { dataDir: folder, modelRoots: [modelsRoot(), userModels], userModels, inference };
}
