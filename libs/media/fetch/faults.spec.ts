import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { RUNNABLE_FLAGS, runnable } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-faults-'));
  await writeFile(join(folder, 'film.mp4'), 'a film');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Fetches a local file in a separate process and returns the code of the error. `prepare` runs there first: `fs` is
 * `node:fs`, `full()` opens files until the limit is reached, and `free(n)` closes some.
 */
async function codeOf(path: string, prepare = '', root = folder): Promise<string> {
  const module = pathToFileURL(runnable('./local.ts', import.meta.url)).href;
  const program = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { fetchLocal } from '${module}';
    const [path, root, directory] = process.argv.slice(1);
    const limits = { directory, maxBytes: 1e6, timeoutSeconds: 60, idleTimeoutSeconds: 60 };
    // Load lazily imported modules now.
    await fetchLocal('${join(folder, 'film.mp4')}', ['${folder}'], limits);
    const held = [];
    const full = () => { try { for (;;) held.push(fs.openSync('/dev/null')); } catch {} };
    const free = (count) => held.splice(0, count).forEach((fd) => fs.closeSync(fd));
    ${prepare}
    syncBuiltinESMExports();
    const answer = await fetchLocal(path, [root], limits).then(() => 'fetched', (error) => error.code);
    free(held.length);
    console.log(answer);`;
  const args = [...RUNNABLE_FLAGS, '--input-type=module', '-e', program, path, root, join(folder, 'copies')];
  const limited = ['-c', 'ulimit -n 256; exec "$@"', 'sh', process.execPath, ...args];
  return (await promisify(execFile)('sh', limited)).stdout.trim();
}

/** Simulates an unreachable network share: the named system call fails on paths below the folder. */
const failing = (call: string, code: string): string => `
  const { ${call}: real } = fs.promises;
  fs.promises.${call} = async (path, ...others) => {
    if (String(path).endsWith('film.mp4')) throw Object.assign(new Error('${code}'), { code: '${code}' });
    return real(path, ...others);
  };`;

describe('a local file', () => {
  it('is fetched', async () => {
    expect(await codeOf(join(folder, 'film.mp4'))).toBe('fetched');
  });

  it('is retried when its bytes cannot be read for now', async () => {
    // The first page of a process's memory is unmapped: EIO.
    expect(await codeOf('/proc/self/mem', '', '/proc')).toBe('SOURCE_UNAVAILABLE');
  });

  it.each([0, 1])('is reported UNAVAILABLE while only %i files can be opened', async (left) => {
    expect(await codeOf(join(folder, 'film.mp4'), `full(); free(${left});`)).toBe('UNAVAILABLE');
  });

  it.each([
    ['realpath', 'ESTALE', 'SOURCE_UNAVAILABLE'],
    ['realpath', 'ENOENT', 'SOURCE_REFUSED'],
    ['open', 'EIO', 'SOURCE_UNAVAILABLE'],
    ['open', 'ESTALE', 'SOURCE_UNAVAILABLE'],
    ['open', 'ETIMEDOUT', 'SOURCE_UNAVAILABLE'],
    ['open', 'ENFILE', 'UNAVAILABLE'],
    ['open', 'EACCES', 'SOURCE_REFUSED'],
  ])('whose %s fails with %s is reported as %s', async (call, code, wanted) => {
    expect(await codeOf(join(folder, 'film.mp4'), failing(call, code))).toBe(wanted);
  });

  it('is retried when its root is unreachable for a moment', async () => {
    const away = `
      const { realpath: real } = fs.promises;
      fs.promises.realpath = async (path) => {
        if (path !== root) return real(path);
        throw Object.assign(new Error('ESTALE'), { code: 'ESTALE' });
      };`;
    expect(await codeOf(join(folder, 'film.mp4'), away)).toBe('SOURCE_UNAVAILABLE');
    expect(await codeOf(join(folder, 'film.mp4'), away.replaceAll('ESTALE', 'ENOENT'))).toBe('SOURCE_REFUSED');
  });
});
