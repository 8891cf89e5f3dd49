import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AditError, nullIfNoFile } from '@adit/contracts';
import { unpackModel } from '@adit/model-inspection';

/** An archive of the operator's own. */
const LIMITS = { maxBytes: 64 * 1024 ** 3, maxEntries: 10_000 };

/**
 * Calls `work` with the absolute path of the graph in what was given: an ONNX file, a zip or tar archive with one, or a folder, of
 * whose versions (as in Triton's layout) the highest is taken; of one without a graph, that in its folder `onnx`. Throws NOT_FOUND, and VALIDATION where that is no single graph.
 */
export async function withGraph<T>(given: string, work: (graph: string) => Promise<T>): Promise<T> {
  const path = resolve(given);
  const found = await stat(path).catch(() => {
    throw new AditError('NOT_FOUND', `There is no file ${given}.`);
  });
  if (found.isDirectory()) return work(await graphIn(path));
  const folder = await mkdtemp(join(tmpdir(), 'adit-model-'));
  try {
    return await work((await unpackModel(path, folder, LIMITS)) ?? path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function graphIn(folder: string): Promise<string> {
  const names = await readdir(folder);
  const versions = names.filter((name) => /^[1-9]\d{0,8}$/.test(name)).sort((a, b) => Number(b) - Number(a));
  const [version] = versions;
  const [graph, ...others] =
    version === undefined ? names.filter((name) => name.endsWith('.onnx')) : [join(version, 'model.onnx')];
  const below = join(folder, 'onnx');
  if (graph === undefined && (await stat(below).catch(nullIfNoFile))?.isDirectory() === true) return graphIn(below);
  if (graph === undefined)
    throw new AditError('VALIDATION', `${folder} has neither an ONNX file nor a folder 1 with model.onnx.`);
  if (others.length > 0)
    throw new AditError('VALIDATION', `${folder} has several ONNX files: name the one that is meant.`);
  return join(folder, graph);
}
