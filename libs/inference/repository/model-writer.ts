import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, canonicalJson, errorCode, ModelManifest } from '@adit/contracts';
import { sha256OfFile } from '@adit/runtime';
import { dump, load } from 'js-yaml';
import { isOfVersion } from './model-folder.js';

/** A version that was added to a model repository's folder. */
export interface WrittenVersion {
  version: number;
  /** Absolute, or relative like `modelsDir`. */
  folder: string;
}

interface NewVersion {
  /** Manifest of the model with this version; digests of earlier versions are kept. */
  manifest: ModelManifest;
  /** The file that the manifest's digest covers. */
  weights: string;
  /** Galleries only: the digest of the network that made the embeddings. */
  embeddedWith?: string;
  /** Writes the version's files into a hidden draft folder. */
  write(draft: string): Promise<void>;
}

/**
 * Adds a version to the model of the manifest's name, or creates the model. The version appears completely or not at
 * all; concurrent additions both succeed. Throws VALIDATION for a file that would not count for the version's answers,
 * CONFLICT when the model exists with other labels or pre-processing.
 */
export async function writeModelVersion(
  modelsDir: string,
  { manifest, weights, embeddedWith, write }: NewVersion,
): Promise<WrittenVersion> {
  const { name } = manifest;
  const folder = join(modelsDir, name);
  // The draft is hidden, so that a repository that watches the folder ignores it while it grows.
  const draft = join(modelsDir, `.${name}-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(draft, { recursive: true });
    await write(draft);
    const other = (await readdir(draft)).find((file) => !isOfVersion(manifest, file));
    if (other !== undefined) {
      // Its digest would equal that of a version with other weights, whose observations are cached.
      throw new AditError(
        'VALIDATION',
        `${other} is not a name by which weights beside a graph are known: save them in one file, model.onnx.data.`,
      );
    }
    const sha256 = await sha256OfFile(join(draft, weights));
    await mkdir(folder, { recursive: true });
    return await underLock(join(modelsDir, `.${name}.lock`), async () => {
      // Another writer may have added versions since the caller read the manifest.
      const before = await readManifest(modelsDir, name);
      if (before !== null) refuseOther(manifest, before);
      const version = await claimVersion(draft, folder);
      const draftManifest = join(folder, `.model.yaml-${randomBytes(6).toString('hex')}`);
      const digests = { ...manifest.sha256, ...before?.sha256, [String(version)]: sha256 };
      const made = embeddedWith === undefined ? {} : { [String(version)]: embeddedWith };
      const all = { ...manifest.embeddedWith, ...before?.embeddedWith, ...made };
      const said = Object.keys(all).length === 0 ? {} : { embeddedWith: all };
      await writeDurably(draftManifest, dump({ ...manifest, ...said, sha256: digests }));
      await rename(draftManifest, join(folder, 'model.yaml'));
      return { version, folder: join(folder, String(version)) };
    });
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Reads the manifest of a model in the folder; null when there is none. Throws CONFLICT for an invalid manifest. */
export async function readManifest(modelsDir: string, name: string): Promise<ModelManifest | null> {
  let text: string;
  try {
    text = await readFile(join(modelsDir, name, 'model.yaml'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const manifest = ModelManifest.safeParse(loaded(text));
  if (manifest.success) return manifest.data;
  throw new AditError('CONFLICT', `${name} is already a model, whose model.yaml is not valid: choose another name.`);
}

/** model.yaml applies to all versions: a different one would change the pictures or labels of the earlier ones. */
function refuseOther(manifest: ModelManifest, before: ModelManifest): void {
  const differs = (['family', 'decoding', 'input', 'labels'] as const).filter(
    (key) => canonicalJson(manifest[key] ?? null) !== canonicalJson(before[key] ?? null),
  );
  if (differs.length === 0) return;
  throw new AditError(
    'CONFLICT',
    `${manifest.name} is there already with another ${differs.join(' and ')}: give this one a name of its own.`,
  );
}

/** Throws VALIDATION for an invalid name of a `noun`. */
export function checkModelName(name: string, noun: string): void {
  if (ModelManifest.shape.name.safeParse(name).success && name !== '.' && name !== '..') return;
  throw new AditError(
    'VALIDATION',
    `${name} is no name for a ${noun}: use letters, digits, dots, dashes, underscores.`,
  );
}

/** Returns null for invalid YAML. */
function loaded(text: string): unknown {
  try {
    return load(text, { maxAliases: 100 });
  } catch {
    return null;
  }
}

/** Writes a new file whose content, possibly in pieces, is flushed to the disk on return. */
export async function writeDurably(path: string, content: string | Iterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await writeFile(file, content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A writer holds the lock for a rename and a small file: one that is older was left behind by a process that died. */
const LOCK_MS = 30_000;

/** Runs `work` while no other process holds the same lock, a file that exists meanwhile. */
async function underLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    // If two processes find a stale lock, the second one's rename fails, or it waits for the next holder.
    if (age > LOCK_MS) {
      const left = `${path}-${randomBytes(6).toString('hex')}`;
      await rename(path, left).catch(() => undefined);
      await rm(left, { force: true });
    }
    await sleep(10 + Math.random() * 20);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Moves the finished draft to the next free version number; another writer may take one in between. */
async function claimVersion(draft: string, folder: string): Promise<number> {
  for (;;) {
    const taken = (await readdir(folder)).filter((entry) => /^[1-9]\d*$/.test(entry)).map(Number);
    const version = Math.max(0, ...taken) + 1;
    try {
      await rename(draft, join(folder, String(version)));
      return version;
    } catch (error) {
      // A rename onto a non-empty folder fails.
      if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
    }
  }
}
