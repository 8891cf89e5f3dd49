import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AditError, storable, type ModelManifest } from '@adit/contracts';
import { isOfVersion, readManifest, readVersion } from '@adit/inference';
import { INSPECTION_LIMITS, inspectModel, rehearseModel, type Inspection, type Proposal } from '@adit/model-inspection';
import type { NewModelVersion } from '@adit/model-store';
import { z } from 'zod';

/** A version that passed every check, ready to be stored. */
export type CheckedModel = Required<Pick<NewModelVersion, 'manifest' | 'digest' | 'folder' | 'files' | 'metrics'>>;

interface Checking {
  /** Nothing above it is looked at. */
  root: string;
  /** Folder for the version's files; created here. */
  folder: string;
  /** Returns the manifest, from the inspected graph and the `model.yaml` beside it. */
  manifestOf: (proposal: Proposal, beside: ModelManifest | null) => ModelManifest;
  /** The number under which `model.yaml` may promise a hash; none by default. */
  number?: number;
  signal?: AbortSignal;
}

/**
 * Checks a graph and what lies beside it, in a process of its own, and moves what a version is made of into a folder. Throws
 * VALIDATION with what is wrong or has to be said.
 */
export async function checkModel(
  graph: string,
  { root, folder, manifestOf, number, signal }: Checking,
): Promise<CheckedModel> {
  const inspection = await inspectModel(graph, { limits: inspectionLimits(), ...(signal && { signal }) }).catch(
    asUnfit,
  );
  const beside = await manifestBeside(graph, root);
  const { defaultVersion: _, ...manifest } = { ...manifestOf(inspection.proposal, beside), sha256: {} };
  refuseUnstorable(manifest);
  await mkdir(folder);
  await copyVersion(graph, inspection, { folder, manifest });
  await rehearseModel(folder, manifest, { limits: inspectionLimits(), ...(signal && { signal }) }).catch(asUnfit);
  const promised = number === undefined ? manifest : { ...manifest, sha256: beside?.sha256 ?? {} };
  const { pin, files } = await readVersion(folder, promised, number ?? 1);
  const { loadSeconds, runSeconds } = inspection.trial;
  const metrics = { load_seconds: loadSeconds, run_seconds: runSeconds };
  return { manifest, digest: pin.digest, folder, files, metrics };
}

/** Metadata of files may hold characters that the database cannot store. */
function refuseUnstorable(manifest: object): void {
  const [issue] = z.unknown().check(storable).safeParse(manifest).error?.issues ?? [];
  if (issue !== undefined) throw unfit(`${issue.path.join('.')} of its model.yaml cannot be taken: ${issue.message}.`);
}

/** It is the file that takes too long. */
function asUnfit(error: unknown): never {
  const problem = AditError.from(error);
  throw problem.code === 'LIMIT_EXCEEDED' ? unfit(problem.message) : error;
}

/** The check must not take the memory that the gateway lives in. */
function inspectionLimits() {
  const memory = process.constrainedMemory();
  const share = memory > 0 && memory < Number.MAX_SAFE_INTEGER ? memory / 2 : Infinity;
  return { ...INSPECTION_LIMITS, memoryBytes: Math.min(INSPECTION_LIMITS.memoryBytes, share) };
}

/** Limit of a `model.yaml`, which is parsed on the main thread: some 30 ms for so much. */
const MAX_MANIFEST_BYTES = 1_048_576;

/** `model.yaml` in the repository's layout: beside the graph, or beside its version's folder. */
async function manifestBeside(graph: string, root: string): Promise<ModelManifest | null> {
  const folders = [dirname(graph), dirname(dirname(graph))].filter((each) => each.startsWith(root));
  for (const each of folders) {
    const { size } = await stat(join(each, 'model.yaml')).catch(() => ({ size: 0 }));
    if (size <= MAX_MANIFEST_BYTES) continue;
    throw unfit(
      `The model.yaml beside it has ${size} bytes; at most ${MAX_MANIFEST_BYTES} are read. Long lists of labels go into labels.txt.`,
    );
  }
  try {
    const [beside, above] = await Promise.all(folders.map((each) => readManifest(dirname(each), basename(each))));
    return beside ?? above ?? null;
  } catch (error) {
    if (AditError.from(error).code !== 'CONFLICT') throw error;
    throw unfit('The model.yaml beside it is not valid.');
  }
}

async function copyVersion(
  graph: string,
  { external, tokenizer }: Inspection,
  { folder, manifest }: { folder: string; manifest: ModelManifest },
): Promise<void> {
  const beside = new Set(await readdir(dirname(graph)));
  await rename(graph, join(folder, 'model.onnx'));
  if (tokenizer !== null) await rename(join(dirname(graph), tokenizer), join(folder, 'tokenizer.json'));
  for (const { name } of external) {
    if (!beside.has(name) || !isOfVersion(manifest, name)) {
      throw unfit(`Weights lie at ${name}: save them beside the graph, in one file, model.onnx.data.`);
    }
    await rename(join(dirname(graph), name), join(folder, name));
  }
}

function unfit(message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer: '/file', code: 'invalid', message }] });
}
