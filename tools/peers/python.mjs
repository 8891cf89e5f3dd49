// A Python with somebody else's program, to measure beside us: one that is named, or one in the cache that pip brings it to.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '../setup/places.mjs';

const run = promisify(execFile);
const INSTALL_MS = 600_000;
const IMPORT_MS = 60_000;

/** The peer cannot be had: what is measured without it still counts. */
export class PeerError extends Error {
  name = 'PeerError';
}

/**
 * The Python that `ADIT_EVAL_PYTHON` names, or one in the cache's folder `name`. `module` is what it must be able to import; `installs`
 * are the arguments of pip that bring it, a list for each run of pip. Throws PeerError with one sentence of why there is none.
 */
export async function pythonWith(module, { name, installs }) {
  const imports = (python) => run(python, ['-c', `import ${module}`], { timeout: IMPORT_MS });
  const named = process.env.ADIT_EVAL_PYTHON;
  if (named !== undefined) {
    await imports(named).catch((error) => failed(`ADIT_EVAL_PYTHON (${named}) has no ${module}`, error));
    return named;
  }
  const folder = join(cacheDirectory, name);
  const python = join(folder, 'bin/python');
  if ((await imports(python).catch(() => null)) !== null) return python;
  await rm(folder, { recursive: true, force: true });
  try {
    await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
    for (const args of installs)
      await run(python, ['-m', 'pip', 'install', '--quiet', ...args], { timeout: INSTALL_MS });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const why = error.code === 'ENOENT' ? 'There is no python3 here' : `${module} was not installed`;
    failed(`${why}; name a Python that has it by ADIT_EVAL_PYTHON`, error);
  }
  return python;
}

/** Throws PeerError with the last line of what a program said. */
export function failed(what, error) {
  const [detail = ''] = (error.stderr ?? '').trim().split('\n').slice(-1);
  throw new PeerError(detail === '' ? `${what}.` : `${what}: ${detail}`, { cause: error });
}
