import { homedir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { pullModel } from '@adit/models';

/** 150 MB, and their conversion. */
const LONGEST_PULL_MS = 300_000;
const CACHE = process.env['ADIT_CACHE_DIR'] ?? join(homedir(), '.cache/adit');

/**
 * For specs: a folder with a model that does not come with Adit, pulled once a machine; or why there is none, where no index
 * is to be reached, or it takes too long. Weights that come out wrong are thrown: no reason to skip.
 */
export async function pulledModel(name: string): Promise<{ folder: string } | { reason: string }> {
  // One folder each: to be written is not to be served for a moment, and specs run beside each other.
  const folder = join(CACHE, 'models-of-specs', name);
  const signal = AbortSignal.timeout(LONGEST_PULL_MS);
  try {
    await pullModel({ name, modelsDir: folder, cacheDir: CACHE, signal });
    return { folder };
  } catch (error) {
    if (signal.aborted) return { reason: `${name} was not pulled within ${LONGEST_PULL_MS / 60_000} minutes` };
    if (!(error instanceof AditError) || error.code !== 'UNAVAILABLE') throw error;
    return { reason: error.message.split('\n', 1)[0] ?? '' };
  }
}
