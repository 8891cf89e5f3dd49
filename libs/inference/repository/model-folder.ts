import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AditError, digestOf, elementAt, ModelManifest, type ModelPin } from '@adit/contracts';
import { checkSha256, sha256OfFile } from '@adit/runtime';
import { load } from 'js-yaml';
import { MODEL_FAMILIES } from '../families/index.js';
import { labelLines, textOf } from './labels.js';
import { readTritonConfig } from './triton-config.js';

/** A model version that passed every check that needs no run. */
export interface ModelVersion {
  pin: ModelPin;
  manifest: ModelManifest;
  /** True for models shipped with Adit, false for the user's. */
  builtIn: boolean;
  /** Absolute path of `<name>/<version>`, or of a stored version's files while it is held. */
  folder: string;
  /** The weights and related files, relative to `folder`, with the state they had when digested. */
  files: ModelFile[];
  /** Set for a version that all processes of the installation share. */
  stored?: StoredModel;
}

export interface StoredModel {
  /** Owner; null: every workspace may use it. */
  workspaceId: string | null;
  /** No new job may use it. */
  isRetired: boolean;
  /** Brings its files to `folder` and keeps them until the returned function is called. */
  hold(): Promise<() => void>;
}

/** Models that are not stored in folders of this machine. */
export interface SharedModels {
  /**
   * Returns the versions, those of one name by number; the same array until something has changed. Throws UNAVAILABLE.
   */
  list(): Promise<readonly ModelVersion[]>;
}

interface ModelFile {
  name: string;
  size: number;
  mtimeMs: number;
  sha256: string;
}

export interface ModelProblem {
  /** Name of the folder. */
  model: string;
  version: number | null;
  folder: string;
  message: string;
}

/** A folder of models. */
export interface ModelRoot {
  /** Absolute. */
  path: string;
  builtIn: boolean;
}

interface FolderReading {
  versions: ModelVersion[];
  problems: ModelProblem[];
}

const NETWORK_FILES = ['model.onnx'];
const GALLERY_FILES = ['gallery.json', 'embeddings.bin'];

/** SHA-256 of files, cached by path, size and mtime. */
export class FileDigests {
  private readonly known = new Map<string, { size: number; mtimeMs: number; sha256: string }>();

  async of(path: string): Promise<{ size: number; mtimeMs: number; sha256: string }> {
    const { size, mtimeMs } = await stat(path);
    const known = this.known.get(path);
    if (known && known.size === size && known.mtimeMs === mtimeMs) return known;
    const digested = { size, mtimeMs, sha256: await sha256OfFile(path) };
    this.known.set(path, digested);
    return digested;
  }
}

/** Reads one model's folder, in Adit's or Triton's layout. Errors are returned as problems, never thrown. */
export async function readModelFolder(root: ModelRoot, name: string, digests: FileDigests): Promise<FolderReading> {
  const folder = join(root.path, name);
  const reading: FolderReading = { versions: [], problems: [] };
  const report = (version: number | null, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    reading.problems.push({ model: name, version, folder, message });
  };
  let described: Described;
  try {
    described = await describe(folder, name);
  } catch (error) {
    report(null, error);
    return reading;
  }
  const { manifest } = described;
  const present = (await readdir(folder)).filter((entry) => /^[1-9]\d{0,8}$/.test(entry)).map(Number);
  const served = present.filter((version) => described.versions?.includes(version) ?? true).sort((a, b) => a - b);
  if (served.length === 0) report(null, `It has no version: put the weights at ${name}/1/${NETWORK_FILES[0]}.`);
  for (const version of served) {
    try {
      const read = await readVersion(join(folder, String(version)), manifest, version, digests);
      reading.versions.push({ ...read, builtIn: root.builtIn });
    } catch (error) {
      report(version, error);
    }
  }
  return reading;
}

interface Described {
  manifest: ModelManifest;
  versions: number[] | null;
}

async function describe(folder: string, name: string): Promise<Described> {
  const entries = await readdir(folder);
  const file = entries.find((entry) => entry === 'model.yaml' || entry === 'model.yml');
  let described: Described;
  let labelsFile: string | null = null;
  if (file) {
    const checked = ModelManifest.safeParse(load(await readFile(join(folder, file), 'utf8'), { maxAliases: 100 }));
    if (!checked.success) {
      const issues = checked.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`);
      throw new AditError('VALIDATION', `${file} is not a model manifest: ${issues.join('; ')}.`);
    }
    described = { manifest: checked.data, versions: null };
  } else if (entries.includes('config.pbtxt')) {
    const triton = readTritonConfig(await readFile(join(folder, 'config.pbtxt'), 'utf8'), name);
    described = { manifest: triton.manifest, versions: triton.versions };
    labelsFile = triton.labelsFile;
  } else {
    throw new AditError('VALIDATION', 'It has neither model.yaml nor config.pbtxt.');
  }
  checkFamily(described.manifest);
  if (described.manifest.name !== name) {
    throw new AditError(
      'VALIDATION',
      `It calls itself ${described.manifest.name}; the folder must have the model's name.`,
    );
  }
  if (labelsFile && !described.manifest.labels) {
    if (basename(labelsFile) !== labelsFile || !entries.includes(labelsFile)) {
      throw new AditError('VALIDATION', `label_filename ${JSON.stringify(labelsFile)} is no file beside config.pbtxt.`);
    }
    described.manifest.labels = labelLines(textOf(await readFile(join(folder, labelsFile)), labelsFile));
  }
  return described;
}

/** Throws VALIDATION unless a model's manifest is enough to run it. Labels may still come from a file of Triton's. */
export function checkFamily(manifest: ModelManifest): void {
  const { family: name, decoding, input } = manifest;
  if (input?.filter === undefined && input?.pad !== undefined)
    throw new AditError('VALIDATION', 'input.pad says nothing without input.filter: add the one it was trained with.');
  if (name === undefined) return;
  const family = MODEL_FAMILIES.usable().find((each) => each.name === name);
  if (family === undefined) {
    const names = MODEL_FAMILIES.usable().map((each) => each.name);
    throw new AditError('VALIDATION', `Jobs use no models of a family ${name}; they use ${names.sort().join(', ')}.`);
  }
  const { decodings, needs } = family;
  const said = new Map(Object.entries(manifest));
  const missing = [
    ...(decodings.length > 0 && decoding === undefined ? ['decoding (how its outputs are read)'] : []),
    ...Object.entries(needs.shape).flatMap(([field, { description }]) =>
      said.get(field) === undefined ? [description ?? field] : [],
    ),
  ];
  if (missing.length > 0) throw new AditError('VALIDATION', `A ${name} needs ${missing.join(' and ')} in model.yaml.`);
  if (decoding !== undefined && !decodings.includes(decoding)) {
    throw new AditError('VALIDATION', `A ${name} has no decoding ${decoding}; it has ${decodings.join(', ')}.`);
  }
}

/** Reads the files of a version in its folder. Throws VALIDATION when one is missing, or differs from the manifest. */
export async function readVersion(
  folder: string,
  manifest: ModelManifest,
  version: number,
  digests = new FileDigests(),
): Promise<Omit<ModelVersion, 'builtIn'>> {
  const wanted = filesOf(manifest);
  const present = await readdir(folder);
  const missing = wanted.filter((file) => !present.includes(file));
  if (missing.length > 0) throw new AditError('VALIDATION', `Version ${version} lacks ${missing.join(' and ')}.`);
  const data = present.filter((file) => isOfVersion(manifest, file) && !wanted.includes(file)).sort();
  const files: ModelFile[] = [];
  for (const file of [...wanted, ...data]) {
    files.push({ name: file, ...(await digests.of(join(folder, file))) });
  }
  const promised = manifest.sha256[String(version)];
  // A gallery's embeddings come after the list of their owners.
  const weights = elementAt(files, manifest.kind === 'network' ? 0 : 1);
  if (promised) {
    const name = `${weights.name} of version ${version}`;
    const hint = 'The manifest promises the latter.';
    checkSha256({ name, found: weights.sha256, expected: promised, code: 'VALIDATION', hint });
  }
  return { pin: { name: manifest.name, version, digest: pinDigest(manifest, files) }, manifest, folder, files };
}

function filesOf({ kind }: ModelManifest): string[] {
  return kind === 'network' ? NETWORK_FILES : GALLERY_FILES;
}

/**
 * Tests whether a file in a version's folder affects its answers and thus its digest. External tensor data of large
 * graphs lies beside model.onnx and belongs to the weights.
 */
export function isOfVersion(manifest: ModelManifest, file: string): boolean {
  return (
    filesOf(manifest).includes(file) ||
    (manifest.kind === 'network' && /\.(onnx[._]data|data|bin|weight)$|^tokenizer\.json$/.test(file))
  );
}

/**
 * Digest of everything that affects answers: the weights, and the parts of the manifest that reach the numbers. A
 * corrected mean in model.yaml therefore gives new observations instead of stale ones.
 */
function pinDigest(manifest: ModelManifest, files: ModelFile[]): string {
  return digestOf({
    files: files.map((file) => [file.name, file.sha256]),
    kind: manifest.kind,
    input: manifest.input,
    text: manifest.text,
    similarity: manifest.similarity,
    writing: manifest.writing,
    family: manifest.family,
    decoding: manifest.decoding,
    labels: manifest.labels,
    embedding: manifest.embedding,
    // A network's own `embedding` only states how to compare its embeddings.
    maxDistance: manifest.kind === 'gallery' ? manifest.maxDistance : undefined,
  });
}
