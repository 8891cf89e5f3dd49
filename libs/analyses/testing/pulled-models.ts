import { homedir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { pullModel } from '@adit/models';

/** Time limit for downloading 150 MB and converting them. */
const MAX_PULL_MS = 300_000;
const CACHE = process.env['ADIT_CACHE_DIR'] ?? join(homedir(), '.cache/adit');

/**
 * Test helper: returns a folder with a model that does not come with Adit, downloaded once per machine, or the reason
 * why there is none: no index is reachable, or it takes too long. Wrong weights throw and are no reason to skip.
 */
export async function pulledModel(name: string): Promise<{ folder: string } | { reason: string }> {
  // Each model has its own folder, because a folder being written is not served and specs run concurrently.
  const folder = join(CACHE, 'models-of-specs', name);
  const signal = AbortSignal.timeout(MAX_PULL_MS);
  try {
    await pullModel({ name, modelsDir: folder, cacheDir: CACHE, signal });
    return { folder };
  } catch (error) {
    if (signal.aborted) return { reason: `${name} was not pulled within ${MAX_PULL_MS / 60_000} minutes` };
    if (!(error instanceof AditError) || error.code !== 'UNAVAILABLE') throw error;
    return { reason: error.message.split('\n', 1)[0] ?? '' };
  }
}
