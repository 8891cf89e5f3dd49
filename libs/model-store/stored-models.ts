import { ModelManifest } from '@adit/contracts';
import type { ModelVersion, SharedModels } from '@adit/inference';
import { createLogger } from '@adit/runtime';
import { z } from 'zod';
import type { ModelCache } from './model-cache.js';
import { versionKey, type ModelStore, type StoredVersion, type VersionKey } from './model-store.js';

const log = createLogger('models');
/** Fields of other builds that this one does not know are omitted. */
const StoredManifest = z.object(ModelManifest.shape);

/** Manifest of a version; null for one of another build that this one cannot use. */
interface Read {
  manifest: ModelManifest | null;
  /** The same with the model's default version. */
  offered: ModelManifest | null;
}

/**
 * Versions of the store for the model repository of this process, which fetches those that it runs. Each manifest is
 * parsed once: with labels it has megabytes, there may be hundreds, and every publication is a change for all
 * processes.
 */
export class StoredModels implements SharedModels {
  private state: string | null = null;
  private read: readonly ModelVersion[] = [];
  private manifests: ReadonlyMap<VersionKey, Read> = new Map();

  constructor(
    private readonly store: ModelStore,
    private readonly cache: ModelCache,
  ) {}

  async list(): Promise<readonly ModelVersion[]> {
    const state = await this.store.state();
    if (state === this.state) return this.read;
    const before = this.manifests;
    const manifests = new Map<VersionKey, Read>();
    const read: ModelVersion[] = [];
    for (const stored of await this.store.versions([...before.keys()])) {
      const key = versionKey(stored);
      const known = before.get(key);
      const manifest = known === undefined ? manifestOf(stored) : known.manifest;
      const offered = withDefault(manifest, known?.offered ?? null, stored.defaultVersion);
      manifests.set(key, { manifest, offered });
      if (offered !== null) read.push(this.versionOf(stored, offered));
    }
    [this.read, this.manifests, this.state] = [read, manifests, state];
    return this.read;
  }

  private versionOf(stored: StoredVersion, manifest: ModelManifest): ModelVersion {
    const { name, version, digest, files, workspaceId, timeRetired } = stored;
    return {
      pin: { name, version, digest },
      manifest,
      builtIn: false,
      folder: this.cache.pathOf(digest),
      files: files.map((file) => ({ ...file, mtimeMs: 0 })),
      stored: { workspaceId, isRetired: timeRetired !== null, hold: () => this.cache.hold(stored) },
    };
  }
}

function manifestOf({ name, version, manifest }: StoredVersion): ModelManifest | null {
  const { success, data } = StoredManifest.safeParse(manifest);
  if (success) return data;
  log.warn({ model: name, version }, 'a stored model was written by another build and cannot be used by this one');
  return null;
}

/** Returns the object that was offered before, if it is equal. */
function withDefault(
  manifest: ModelManifest | null,
  before: ModelManifest | null,
  defaultVersion: number | null,
): ModelManifest | null {
  if (manifest === null || defaultVersion === null) return manifest;
  return before?.defaultVersion === defaultVersion ? before : { ...manifest, defaultVersion };
}
