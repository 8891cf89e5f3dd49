import { ModelManifest } from '@adit/contracts';
import type { ModelVersion, SharedModels } from '@adit/inference';
import { createLogger } from '@adit/runtime';
import { z } from 'zod';
import type { ModelCache } from './model-cache.js';
import type { ModelStore, StoredVersion } from './model-store.js';

const log = createLogger('models');
/** Of another build: what this one does not know of is left out. */
const StoredManifest = z.object(ModelManifest.shape);

/** The versions of the store for the model repository of this process, which fetches those that it runs. */
export class StoredModels implements SharedModels {
  private state: string | null = null;
  private read: readonly ModelVersion[] = [];

  constructor(
    private readonly store: ModelStore,
    private readonly cache: ModelCache,
  ) {}

  async list(): Promise<readonly ModelVersion[]> {
    const state = await this.store.state();
    if (state === this.state) return this.read;
    this.read = (await this.store.versions()).flatMap((stored) => this.versionOf(stored) ?? []);
    this.state = state;
    return this.read;
  }

  private versionOf(stored: StoredVersion): ModelVersion | null {
    const { name, version, digest, files, workspaceId, defaultVersion, timeRetired } = stored;
    const manifest = StoredManifest.safeParse(stored.manifest);
    if (!manifest.success) {
      log.warn({ model: name, version }, 'a stored model was written by another build and cannot be used by this one');
      return null;
    }
    return {
      pin: { name, version, digest },
      manifest: { ...manifest.data, ...(defaultVersion === null ? {} : { defaultVersion }) },
      builtIn: false,
      folder: this.cache.pathOf(digest),
      files: files.map((file) => ({ ...file, mtimeMs: 0 })),
      stored: { workspaceId, isRetired: timeRetired !== null, hold: () => this.cache.hold(stored) },
    };
  }
}
