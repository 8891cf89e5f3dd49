import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError, canonicalJson, digestOf, type ModelManifest, type ModelPin } from '@adit/contracts';
import { FolderWatch, isCode } from './folder-watch.js';
import {
  FileDigests,
  readModelFolder,
  type ModelProblem,
  type ModelRoot,
  type ModelVersion,
  type SharedModels,
} from './model-folder.js';

export interface ModelRepositoryOptions {
  /** Absolute folders of models. Of equal names the last folder's model counts. */
  roots: string[];
  /** Folders shipped with Adit, read before `shared` and `roots`: a user's model replaces one of the same name. */
  builtIn?: string[];
  /** Models that all processes of the installation share; a folder of `roots` replaces one of the same name. */
  shared?: SharedModels;
  /** Milliseconds between polls of `shared`. */
  sharedPollMs?: number;
  /** Watches for changes while running. */
  watch?: boolean;
  /** Milliseconds without a write after which a folder counts as complete and is served. */
  settleMs?: number;
  /** Milliseconds between polls where the operating system cannot watch; six times that where it can. */
  pollMs?: number;
  /** Runs a network before it is served; throws the reason when it fails. */
  check?: (model: ModelVersion) => Promise<void>;
}

/**
 * The models that can be used now. A broken folder is reported in `problems()` and never served; a folder is served
 * once it is complete and nothing has written to it for a moment.
 */
export class ModelRepository {
  private models = new Map<string, ModelVersion[]>();
  private listed: readonly ModelVersion[] = [];
  private shared: readonly ModelVersion[] = [];
  /** Versions by digest, including those hidden by another one of the same name, and retired ones. */
  private pins = new Map<string, ModelVersion>();
  private poll: NodeJS.Timeout | null = null;
  private found: ModelProblem[] = [];
  private readonly digests = new FileDigests();
  /** Results of `check` by digest and folder, so that an unchanged model is run only once. */
  private readonly checked = new Map<string, string | null>();
  private readonly manifestDigests = new WeakMap<ModelManifest, string>();
  private readonly listeners = new Set<() => void>();
  private watcher: FolderWatch | null = null;
  private refreshing: Promise<void> | null = null;
  private again = false;
  private unsettled: NodeJS.Timeout | null = null;
  private closed = false;
  private readonly roots: readonly ModelRoot[];

  private constructor(
    private readonly options: Required<Omit<ModelRepositoryOptions, 'check' | 'shared'>> & ModelRepositoryOptions,
  ) {
    this.roots = [
      ...options.builtIn.map((path) => ({ path, builtIn: true })),
      ...options.roots.map((path) => ({ path, builtIn: false })),
    ];
  }

  /** Reads every root, waits for folders that are being written now, then starts watching if requested. */
  static async open(options: ModelRepositoryOptions): Promise<ModelRepository> {
    const repository = new ModelRepository({
      ...{ builtIn: [], watch: false, settleMs: 500, pollMs: 5_000, sharedPollMs: 2_000 },
      ...options,
    });
    const { settleMs, sharedPollMs } = repository.options;
    await repository.refresh();
    for (let round = 0; round < 4 && repository.unsettled; round++) {
      await new Promise((resolve) => setTimeout(resolve, settleMs / 2));
      await repository.refresh();
    }
    if (options.watch) {
      const folders = repository.roots.map(({ path }) => path);
      repository.watcher = new FolderWatch(folders, repository.options.pollMs, () => repository.refreshQuietly());
      if (options.shared) repository.poll = setInterval(() => repository.checkShared(), sharedPollMs).unref();
    }
    return repository;
  }

  /**
   * Returns every served version, by name and version; the same array until something is read anew. A name may exist
   * for all workspaces and for single ones.
   */
  list(): readonly ModelVersion[] {
    return this.listed;
  }

  problems(): ModelProblem[] {
    return [...this.found];
  }

  /**
   * Returns the requested version of a model for all workspaces, else the manifest's default, else the highest. Throws
   * MODEL_NOT_INSTALLED, listing the installed ones.
   */
  resolve(name: string, version?: number): ModelVersion {
    const versions = this.models.get(name) ?? [];
    const wanted = version ?? versions.at(-1)?.manifest.defaultVersion ?? versions.at(-1)?.pin.version;
    const model = versions.find((candidate) => candidate.pin.version === wanted);
    if (model) return model;
    const asked = version === undefined ? name : `${name} version ${version}`;
    const reason = this.found.find((problem) => problem.model === name)?.message;
    const installed = [...this.models.keys()].sort().join(', ') || 'none';
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `Model ${asked} is not installed${reason ? ` (${reason})` : ''}. Installed: ${installed}.`,
    );
  }

  /** Returns the version of a pin. Throws MODEL_NOT_INSTALLED when it was removed or changed. */
  byDigest(digest: string): ModelVersion {
    const model = this.pins.get(digest);
    if (model) return model;
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `No installed model has the digest ${digest}: put back the version this job was posted with.`,
    );
  }

  /**
   * Returns the version of a pin, reading the folders again before giving up: the process that pinned it may have
   * noticed a new model first.
   */
  async pinned(digest: string): Promise<ModelVersion> {
    if (!this.pins.has(digest)) await this.refresh();
    return this.byDigest(digest);
  }

  /**
   * Reads a file of a pinned version, e.g. a gallery's `embeddings.bin`. Throws MODEL_NOT_INSTALLED when it has changed
   * since.
   */
  async readFile(pin: ModelPin, file: string): Promise<Buffer> {
    const model = await this.pinned(pin.digest);
    const known = model.files.find((candidate) => candidate.name === file);
    if (!known) throw new AditError('NOT_FOUND', `Model ${pin.name} version ${pin.version} has no file ${file}.`);
    const path = join(model.folder, file);
    if (model.stored !== undefined) {
      const release = await model.stored.hold();
      return readFile(path).finally(release);
    }
    const now = await stat(path).catch(() => null);
    if (now?.size !== known.size || now.mtimeMs !== known.mtimeMs) {
      throw new AditError(
        'MODEL_NOT_INSTALLED',
        `${path} was changed or removed while in use: install it as a new version.`,
      );
    }
    return readFile(path);
  }

  /** Calls `listener` after the served models or the problems changed; returns the function to unsubscribe. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Reads the folders and the shared models again. Calls during a refresh share the next one. Throws UNAVAILABLE. */
  async refresh(): Promise<void> {
    if (this.refreshing) {
      this.again = true;
      return this.refreshing;
    }
    this.refreshing = (async () => {
      do {
        this.again = false;
        await this.read();
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- both change while it reads
      } while (this.again && !this.closed);
    })().finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.watcher?.close();
    this.watcher = null;
    if (this.poll) clearInterval(this.poll);
    if (this.unsettled) clearTimeout(this.unsettled);
    this.unsettled = null;
    await this.refreshing?.catch(() => undefined);
  }

  /** Models that cannot be read for now stay as they were. */
  private refreshQuietly(): void {
    this.refresh().catch(() => undefined);
  }

  /** Reads everything again only if shared models have changed. */
  private checkShared(): void {
    this.options.shared?.list().then(
      (shared) => {
        if (shared !== this.shared && !this.closed) this.refreshQuietly();
      },
      () => undefined,
    );
  }

  private async read(): Promise<void> {
    const shared = (await this.options.shared?.list()) ?? [];
    const models = new Map<string, ModelVersion[]>();
    const problems: ModelProblem[] = [];
    const now = Date.now();
    let waiting = false;
    for (const root of this.roots) {
      for (const name of await foldersOf(root.path)) {
        const folder = join(root.path, name);
        try {
          const age = now - (await lastWrite(folder));
          if (age > -CLOCK_SKEW_MS && age < this.options.settleMs) {
            waiting = true;
            const before = this.models.get(name)?.filter(({ stored }) => stored === undefined) ?? [];
            if (before.length > 0) models.set(name, before);
            continue;
          }
          const reading = await readModelFolder(root, name, this.digests);
          const served = await this.verify(reading.versions, problems);
          problems.push(...reading.problems);
          if (served.length > 0) models.set(name, served);
        } catch (error) {
          // The folder was removed or changed during reading; the next poll reads it again.
          problems.push({ model: name, version: null, folder, message: String(error) });
        }
      }
    }
    const folders = [...models.values()].flat();
    const offered = shared.filter(({ stored }) => stored?.isRetired === false);
    for (const [name, versions] of byName(offered.filter(({ stored }) => stored?.workspaceId === null))) {
      if (models.get(name)?.[0]?.builtIn !== false) models.set(name, versions);
    }
    const listed = [...models.values()].flat().concat(offered.filter(({ stored }) => stored?.workspaceId !== null));
    const state = (served: readonly ModelVersion[], wrong: ModelProblem[]): string =>
      canonicalJson([served.map(({ pin, manifest, folder }) => [pin, this.digestOf(manifest), folder]), wrong]);
    const changed = state(listed, problems) !== state(this.listed, this.found);
    this.models = models;
    this.shared = shared;
    this.found = problems;
    this.listed = listed;
    this.pins = new Map([...shared, ...folders].map((model) => [model.pin.digest, model]));
    this.wait(waiting);
    this.watcher?.follow();
    if (changed) for (const listener of this.listeners) listener();
  }

  /** Caches the digest per manifest object, since one with all its labels has megabytes. */
  private digestOf(manifest: ModelManifest): string {
    const known = this.manifestDigests.get(manifest) ?? digestOf(manifest);
    this.manifestDigests.set(manifest, known);
    return known;
  }

  private async verify(versions: ModelVersion[], problems: ModelProblem[]): Promise<ModelVersion[]> {
    const served: ModelVersion[] = [];
    for (const model of versions) {
      const key = `${model.folder} ${model.pin.digest}`;
      let wrong = this.checked.get(key);
      if (wrong === undefined) {
        wrong = null;
        if (this.options.check && model.manifest.kind === 'network') {
          wrong = await this.options.check(model).then(
            () => null,
            (error: unknown) => (error instanceof Error ? error.message : String(error)),
          );
        }
        this.checked.set(key, wrong);
      }
      if (wrong === null) served.push(model);
      else problems.push({ model: model.pin.name, version: model.pin.version, folder: model.folder, message: wrong });
    }
    return served;
  }

  private wait(waiting: boolean): void {
    if (this.unsettled) clearTimeout(this.unsettled);
    this.unsettled = null;
    if (!waiting || this.closed) return;
    this.unsettled = setTimeout(() => this.refreshQuietly(), this.options.settleMs);
    this.unsettled.unref();
  }
}

function byName(versions: readonly ModelVersion[]): Map<string, ModelVersion[]> {
  const names = new Map<string, ModelVersion[]>();
  for (const version of versions) names.set(version.pin.name, [...(names.get(version.pin.name) ?? []), version]);
  return names;
}

/** A file from further in the future carries another machine's clock and is not being written now. */
const CLOCK_SKEW_MS = 1000;

async function foldersOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const named = entries.filter(
    (entry) =>
      !entry.name.startsWith('.') &&
      (entry.isDirectory() || entry.isSymbolicLink()) &&
      // Code folders hold no models, and are often large.
      !isCode(root, entry.name),
  );
  // Only folders that claim to be models: the built-in root also holds the converter and its dependencies.
  const claims = await Promise.all(
    named.map(async ({ name }) => {
      const inside = await readdir(join(root, name)).catch(() => []);
      return inside.some((file) => /^(model\.ya?ml|config\.pbtxt|[1-9]\d*)$/.test(file)) ? name : null;
    }),
  );
  return claims.filter((name) => name !== null).sort();
}

/** Returns the latest change of anything in a model's folder. ctime counts, because copying tools set mtime back. */
async function lastWrite(folder: string): Promise<number> {
  let newest = (await stat(folder)).ctimeMs;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? await lastWrite(path) : (await stat(path)).ctimeMs);
  }
  return newest;
}
