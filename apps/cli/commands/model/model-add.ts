import { constants, copyFile, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AditError, type ModelManifest } from '@adit/contracts';
import { checkModelName, labelLines, readManifest, textOf, writeModelVersion } from '@adit/inference';
import { inspectModel, manifestFor, rehearseModel, type ExternalFile } from '@adit/model-inspection';
import type { EngineOptions } from '../../engine/engine-options.js';
import { untilInterrupted } from '../../engine/interrupt.js';
import { withGraph } from './model-file.js';
import { cliSettings } from '../../settings.js';

export interface ModelAddOptions extends EngineOptions {
  name: string;
  labels?: string;
  family?: string;
  decoding?: string;
  size?: string;
  colour?: string;
  mean?: string;
  std?: string;
  resize?: string;
  filter?: string;
  pad?: string;
  shorterSide?: string;
  logitScale?: string;
  logitBias?: string;
  maxDistance?: string;
  textLength?: string;
  template?: string;
  startToken?: string;
  endToken?: string;
  description?: string;
  licence?: string;
  origin?: string;
  /** Description of the version, and who sees the model, for a model that is added to an engine elsewhere. */
  changelog?: string;
  scope?: 'workspace' | 'installation';
  /** A photo that it is tried on instead of being added. */
  try?: string;
  /** File for the photo with boxes. */
  drawn?: string;
}

/**
 * Adds an ONNX file, or that of a folder or an archive, as a new version of a model, or begins the model; asks for what nothing tells.
 */
export async function addModel(file: string, options: ModelAddOptions): Promise<void> {
  checkModelName(options.name, 'model');
  await withGraph(file, (path) => addGraph(path, options));
}

async function addGraph(path: string, options: ModelAddOptions): Promise<void> {
  const { userModels, modelRoots } = cliSettings(options.dataDir);
  const before = await readManifest(userModels, options.name);
  const labels =
    options.labels === undefined
      ? undefined
      : labelLines(textOf(await readFile(resolve(options.labels)), options.labels));
  const { signal, release } = untilInterrupted();
  const { proposal, external, tokenizer } = await inspectModel(path, { signal }).finally(release);
  const manifest = manifestFor({ ...options, labels }, proposal, before);
  const writeInto = (modelsDir: string) =>
    writeModelVersion(modelsDir, {
      manifest,
      weights: 'model.onnx',
      write: async (draft) => {
        await copyWeights(path, { external, tokenizer }, draft);
        await rehearseModel(draft, manifest);
      },
    });
  if (options.try !== undefined) {
    const { tryModel } = await import('./model-try.js');
    const drawn = options.drawn ?? `${manifest.name}-tried.jpg`;
    await tryModel(manifest, { photo: resolve(options.try), drawn: resolve(drawn), installed: modelRoots }, writeInto);
    return;
  }
  await mkdir(userModels, { recursive: true });
  const { version, folder } = await writeInto(userModels);
  const note = proposal.note === null ? '' : `${proposal.note}\n`;
  process.stdout.write(`${manifest.name} version ${version}: ${described(manifest)}, in ${folder}\n${note}`);
}

function described({ family, decoding, labels }: ModelManifest): string {
  const read = decoding === undefined ? '' : ` (${decoding})`;
  return `of the family ${family ?? 'none'}${read}${labels === undefined ? '' : `, ${labels.length} classes`}`;
}

/** The weights that lie beside the graph have to lie beside the copy, under their names. */
async function copyWeights(
  path: string,
  { external, tokenizer }: { external: readonly ExternalFile[]; tokenizer: string | null },
  draft: string,
): Promise<void> {
  await copyFile(path, join(draft, 'model.onnx'));
  if (tokenizer !== null) await copyFile(join(dirname(path), tokenizer), join(draft, 'tokenizer.json'));
  for (const { name } of external) {
    if (basename(name) !== name) {
      throw new AditError(
        'VALIDATION',
        `Weights lie at ${name}: save the model with its data beside it, not in a folder.`,
      );
    }
    await copyFile(join(dirname(path), name), join(draft, name), constants.COPYFILE_EXCL);
  }
}
