import { createWriteStream } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AditError, errorCode, type ModelManifest } from '@adit/contracts';
import { checkFamily, readTritonConfig } from '@adit/inference';
import { manifestFor, type Proposal } from '@adit/model-inspection';
import type { ForeignObjects } from '@adit/objects';
import { checkModel, type CheckedModel } from './checked-model.js';
import type { SyncedFile, ListedVersion } from './synced-listing.js';

export interface VersionLimits {
  maxBytes: number;
  maxFiles: number;
  /** Time limit for fetching its files. */
  maxSeconds: number;
}

/** Limits of the files that describe a model. */
const MAX_BYTES: Readonly<Record<string, number>> = { 'config.pbtxt': 65_536, 'model.yaml': 4_194_304 };

/** It was being written while it was read: the next round finds it whole. */
export class StillChanging extends Error {}

/**
 * Fetches a version into a folder, which is empty, and checks it as one that is posted. Throws VALIDATION, TOO_LARGE with what is
 * wrong with it, `StillChanging`, and UNAVAILABLE.
 */
export async function checkListed(
  listed: ListedVersion,
  place: ForeignObjects,
  { folder, limits, signal }: { folder: string; limits: VersionLimits; signal: AbortSignal },
): Promise<CheckedModel> {
  const { name, version, files, bytes } = listed;
  const has = (path: string): boolean => files.some((file) => file.path === path);
  if (!has(`${version}/model.onnx`)) throw unfit(`It lacks ${name}/${version}/model.onnx.`);
  if (!has('model.yaml') && !has('config.pbtxt')) throw unfit(`${name} has neither model.yaml nor config.pbtxt.`);
  if (files.length > limits.maxFiles) {
    throw new AditError('TOO_LARGE', `It has ${files.length} files; a version has at most ${limits.maxFiles}.`);
  }
  if (bytes > limits.maxBytes) {
    throw new AditError(
      'TOO_LARGE',
      `It has ${bytes} bytes; at most ${limits.maxBytes} are taken (ADIT_MAX_MODEL_BYTES).`,
    );
  }
  const described = files.find(({ path, size }) => (MAX_BYTES[path] ?? Infinity) < size);
  if (described !== undefined) {
    throw unfit(
      `${described.path} has ${described.size} bytes; at most ${String(MAX_BYTES[described.path])} are read.`,
    );
  }
  const root = join(folder, 'bucket');
  const fetching = AbortSignal.any([signal, AbortSignal.timeout(limits.maxSeconds * 1000)]);
  for (const file of files) await fetchFile(place, listed, file, { root, signal: fetching });
  await refuseLeftOut(join(root, name), listed);
  return checkModel(join(root, name, String(version), 'model.onnx'), {
    root,
    folder: join(folder, 'version'),
    manifestOf: (proposal, beside) => manifestOf(name, proposal, beside),
    number: version,
    signal,
  });
}

async function fetchFile(
  place: ForeignObjects,
  { name }: ListedVersion,
  file: SyncedFile,
  { root, signal }: { root: string; signal: AbortSignal },
): Promise<void> {
  const path = join(root, name, file.path);
  await mkdir(dirname(path), { recursive: true });
  try {
    await pipeline(await place.get(file.name), upTo(file.size), createWriteStream(path, { flags: 'wx' }), { signal });
  } catch (error) {
    if (error instanceof StillChanging) throw error;
    if (errorCode(error) === 'NOT_FOUND') throw new StillChanging(`${file.name} is gone again.`);
    if (signal.aborted) throw new AditError('UNAVAILABLE', `${file.name} takes too long to fetch.`, { cause: error });
    throw error;
  }
  if ((await stat(path)).size !== file.size) throw new StillChanging(`${file.name} has other bytes by now.`);
}

/** Hands on no more bytes than were listed. */
function upTo(size: number) {
  return async function* (content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of content) {
      bytes += piece.length;
      if (bytes > size) throw new StillChanging(`It has more than the ${size} bytes that were listed.`);
      yield piece;
    }
  };
}

/** Versions that `version_policy` leaves out are not offered. */
async function refuseLeftOut(folder: string, { files, version }: ListedVersion): Promise<void> {
  if (!files.some(({ path }) => path === 'config.pbtxt')) return;
  const file = join(folder, 'config.pbtxt');
  const { versions } = readTritonConfig(await readFile(file, 'utf8'), 'model');
  if (versions?.includes(version) === false) throw unfit('The version_policy of config.pbtxt leaves it out.');
}

/** `model.yaml` that names a family says all of it, as in a folder; else what it leaves open is read from the graph and its exporter. */
function manifestOf(name: string, proposal: Proposal, beside: ModelManifest | null): ModelManifest {
  if (beside !== null && beside.name !== name) {
    throw unfit(`Its model.yaml calls it ${beside.name}; the folder must have the model's name.`);
  }
  if (beside !== null && beside.kind !== 'network') {
    throw unfit('It is a gallery: those lie in a model folder, or are trained.');
  }
  if (beside?.family === undefined) {
    try {
      return manifestFor({ name }, proposal, beside);
    } catch (error) {
      const { code, message } = AditError.from(error);
      if (code !== 'VALIDATION') throw error;
      throw unfit(`${message}\nHere it is said in model.yaml, beside the versions.`);
    }
  }
  checkFamily(beside);
  const { input, labels } = beside;
  if (input !== undefined && proposal.input !== null && input.tensor !== proposal.input.tensor) {
    throw unfit(`Its model.yaml calls the input ${input.tensor}; the graph calls it ${proposal.input.tensor}.`);
  }
  if (labels !== undefined && proposal.classes !== null && labels.length !== proposal.classes) {
    throw unfit(`It has ${proposal.classes} classes, and its model.yaml ${labels.length} labels.`);
  }
  return beside;
}

function unfit(message: string): AditError {
  return new AditError('VALIDATION', message);
}
