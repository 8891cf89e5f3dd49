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
  /** Absolute folders of models. A name found in several is taken from the last. */
  roots: string[];
  /** Those that come with Adit; looked at before `shared` and `roots`: a user's model goes before one of the same name. */
  builtIn?: string[];
  /** Those that all processes of the installation share; a folder of `roots` goes before one of the same name. */
  shared?: SharedModels;
  /** Between looks at `shared`, milliseconds. */
  sharedPollMs?: number;
  /** Notice changes while running. */
  watch?: boolean;
  /** A folder written to within this time is still being copied and not served, milliseconds. */
  settleMs?: number;
  /** Between looks where the operating system cannot watch, milliseconds; six times that where it says it does. */
  pollMs?: number;
  /** Runs a network before it is served; throws what is wrong with it. */
  check?: (model: ModelVersion) => Promise<void>;
}

/**
 * The models that can be used now. Anything wrong with a folder is one of `problems()` and is never served; a folder is
 * served once it is complete and nothing has written to it for a moment.
 */
export class ModelRepository {
  private models = new Map<string, ModelVersion[]>();
  private listed: readonly ModelVersion[] = [];
  private shared: readonly ModelVersion[] = [];
  /** What a pin may mean, also of models that another one of the same name hides, or that are retired. */
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

  /** Reads every root, waits for folders that are being written at this moment, then starts watching if asked to. */
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
      repository.watcher = new FolderWatch(folders, repository.options.pollMs, () => repository.lookAgain());
      if (options.shared) repository.poll = setInterval(() => repository.lookAtShared(), sharedPollMs).unref();
    }
    return repository;
  }

  /**
   * Every version that is served, by name and version: the same array until something is read anew. A name may be there for
   * everybody and for workspaces of their own.
   */
  list(): readonly ModelVersion[] {
    return this.listed;
  }

  problems(): ModelProblem[] {
    return [...this.found];
  }

  /** Of the models for everybody the version named, else the manifest's default, else the highest. Throws MODEL_NOT_INSTALLED with what is installed. */
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

  /** The version a pin means. Throws MODEL_NOT_INSTALLED when it was removed or changed. */
  byDigest(digest: string): ModelVersion {
    const model = this.pins.get(digest);
    if (model) return model;
    throw new AditError(
      'MODEL_NOT_INSTALLED',
      `No installed model has the digest ${digest}: put back the version this job was posted with.`,
    );
  }

  /**
   * The same, looking into the folders again before giving up: the process that pinned it may have noticed a new model
   * before this one.
   */
  async pinned(digest: string): Promise<ModelVersion> {
    if (!this.pins.has(digest)) await this.refresh();
    return this.byDigest(digest);
  }

  /** A file of a pinned version, e.g. a gallery's `embeddings.bin`. Throws MODEL_NOT_INSTALLED when it has changed since. */
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

  /** Calls `listener` after the served models or the problems changed; returns how to stop. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Reads the folders and the shared models again. Calls during a reading share the one after it. Throws UNAVAILABLE. */
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

  /** What cannot be read at the moment stays as it was. */
  private lookAgain(): void {
    this.refresh().catch(() => undefined);
  }

  /** Reads everything only if what is shared has changed. */
  private lookAtShared(): void {
    this.options.shared?.list().then(
      (shared) => {
        if (shared !== this.shared && !this.closed) this.lookAgain();
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
          // The folder went away or changed under our hands: the next round sees what it has become.
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

  /** Of a manifest that stays the same object; one with all its labels has megabytes. */
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
    this.unsettled = setTimeout(() => this.lookAgain(), this.options.settleMs);
    this.unsettled.unref();
  }
}

function byName(versions: readonly ModelVersion[]): Map<string, ModelVersion[]> {
  const names = new Map<string, ModelVersion[]>();
  for (const version of versions) names.set(version.pin.name, [...(names.get(version.pin.name) ?? []), version]);
  return names;
}

/** A file from further in the future comes from another machine's clock and says nothing about being written now. */
const CLOCK_SKEW_MS = 1000;

async function foldersOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const named = entries.filter(
    (entry) =>
      !entry.name.startsWith('.') &&
      (entry.isDirectory() || entry.isSymbolicLink()) &&
      // Nothing in there is a model, and much of it is large.
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

/** The newest change of anything in a model's folder. ctime, because copying tools set mtime back. */
async function lastWrite(folder: string): Promise<number> {
  let newest = (await stat(folder)).ctimeMs;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    newest = Math.max(newest, entry.isDirectory() ? await lastWrite(path) : (await stat(path)).ctimeMs);
  }
  return newest;
}
