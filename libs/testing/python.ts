import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Missing } from './servers.js';

const run = promisify(execFile);
const OLDEST = 9;
const INSTALL_MS = 600_000;
/** Identity of an environment: it refers to the Python that made it, which another machine image may have elsewhere. */
const VERSION =
  'import os, sys, sysconfig; ' +
  'print(*sys.version_info[:3], sysconfig.get_platform(), os.path.realpath(sys.executable))';

/**
 * The path of a Python of at least 3.9 that has the packages of a requirements file, which names their versions: a virtual
 * environment in the cache folder, made the first time. Where there is no Python or no way to an index of packages it says so.
 */
export async function pythonWith(requirements: string): Promise<string | Missing> {
  const found = await python();
  if (found === null) return { reason: `Python 3.${OLDEST} or newer is not installed` };
  const content = await readFile(requirements);
  const cache = resolve(process.env.ADIT_CACHE_DIR || join(homedir(), '.cache/adit'), 'python');
  const hash = createHash('sha256').update(content).update(found.version).digest('hex').slice(0, 16);
  const folder = join(cache, hash);
  const program = (of: string): string => join(of, 'bin/python');
  if (existsSync(program(folder))) return program(folder);
  const draft = `${folder}-${process.pid}`;
  try {
    await mkdir(cache, { recursive: true });
    await run(found.path, ['-m', 'venv', draft], { timeout: INSTALL_MS });
    // A machine without a way out is to say so soon.
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '2'];
    await run(program(draft), [...install, '--only-binary', ':all:', '--requirement', requirements], {
      timeout: INSTALL_MS,
    });
    // Another process may have been as fast; its folder holds the same.
    await rename(draft, folder).catch(() => undefined);
    return program(folder);
  } catch (error) {
    const [last = String(error)] = String(error).trim().split('\n').slice(-1);
    return { reason: `its packages cannot be installed: ${last}` };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function python(): Promise<{ path: string; version: string } | null> {
  for (const path of ['python3', 'python']) {
    const version = await run(path, ['-c', VERSION]).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
    const [major, minor] = version.split(' ').map(Number);
    if (major === 3 && minor !== undefined && minor >= OLDEST) return { path, version };
  }
  return null;
}
