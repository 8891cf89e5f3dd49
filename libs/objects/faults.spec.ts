import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { RUNNABLE_FLAGS, runnable } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-faults-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Returns the code of the error of `work`, in a process of its own that holds a store with one object, `a/b`.
 * `fails(call, code)` makes a call to the file system fail like a network share in an outage; `full()` opens files
 * until no more can be.
 */
async function codeOf(work: string): Promise<string> {
  const module = pathToFileURL(runnable('./filesystem.ts', import.meta.url)).href;
  const program = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { Readable } from 'node:stream';
    import { FilesystemObjectStore } from '${module}';
    const store = await FilesystemObjectStore.open(process.argv[1]);
    const body = Buffer.from('an object');
    await store.put('a/b', body);
    const all = async (items) => { for await (const item of items) void item; };
    await all(await store.get('a/b'));
    const fault = (code) => Object.assign(new Error(code), { code });
    const handle = await fs.promises.open('/dev/null');
    const fails = (call, code) => {
      const of = ['read', 'stat'].includes(call) ? Object.getPrototypeOf(handle) : fs.promises;
      of[call] = async () => { throw fault(code); };
      syncBuiltinESMExports();
    };
    const held = [];
    const full = () => { try { for (;;) held.push(fs.openSync('/dev/null')); } catch {} };
    const answer = await (async () => { ${work} })().then(() => 'done', (error) => error.name + ' ' + error.code);
    held.forEach((fd) => fs.closeSync(fd));
    await handle.close();
    console.log(answer);`;
  const args = [...RUNNABLE_FLAGS, '--input-type=module', '-e', program, await mkdtemp(join(folder, 'store-'))];
  const limited = ['-c', 'ulimit -n 256; exec "$@"', 'sh', process.execPath, ...args];
  return (await promisify(execFile)('sh', limited)).stdout.trim();
}

const WORK = {
  open: `await all(await store.get('a/b'));`,
  read: `await all(await store.get('a/b'));`,
  stat: `await store.read('a/b');`,
  lstat: `await store.stat('a/b');`,
  readdir: `await all(store.list(''));`,
  realpath: `await all(store.list('a/'));`,
  rename: `await store.put('c', body);`,
  writeFile: `await store.put('c', body);`,
  rm: `await store.delete('a/b');`,
};

describe('a folder that is away for a moment', () => {
  it.each([
    ...Object.entries(WORK).map(([call, work]) => [call, 'ESTALE', work]),
    ...['EIO', 'ETIMEDOUT', 'EHOSTDOWN'].map((code) => ['read', code, WORK.read]),
  ])('a folder whose %s fails with %s is UNAVAILABLE', async (call, code, work) => {
    expect(await codeOf(`fails('${call}', '${code}'); ${work}`)).toBe('AditError UNAVAILABLE');
  });

  it('says so of bytes that are read into memory, and of a walk', async () => {
    expect(await codeOf(`fails('read', 'ESTALE'); await store.read('a/b');`)).toBe('AditError UNAVAILABLE');
    expect(await codeOf(`fails('lstat', 'ESTALE'); await all(store.list(''));`)).toBe('AditError UNAVAILABLE');
  });

  it('a folder is UNAVAILABLE while the process has too many files open', async () => {
    expect(await codeOf(`full(); await store.get('a/b');`)).toBe('AditError UNAVAILABLE');
  });

  it('a folder is not blamed for the body of a put', async () => {
    const put = `await store.put('c', new Readable({ read() { this.destroy(fault('ETIMEDOUT')); } }));`;
    expect(await codeOf(put)).toBe('Error ETIMEDOUT');
  });
});
