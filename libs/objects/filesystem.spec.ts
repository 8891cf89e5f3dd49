import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { RUNNABLE_FLAGS, runnable } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { objectStoreConformance } from './conformance.js';
import { FilesystemObjectStore } from './filesystem.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-objects-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

objectStoreConformance('filesystem', async () => ({
  store: await FilesystemObjectStore.open(join(root, 'conformance')),
  async dispose() {},
}));

describe('files', () => {
  it('leaves nothing in incoming/ and no empty folder, whether a put ends well or badly', async () => {
    const store = await FilesystemObjectStore.open(join(root, 'clean'));
    await store.put('a/b/c', Buffer.from('x'));
    const body = new PassThrough();
    const put = store.put('a/b/d', body);
    body.write('part');
    await sleep(20);
    expect(await readdir(join(root, 'clean/incoming'))).toHaveLength(1);
    body.destroy(new Error('gone'));
    await expect(put).rejects.toThrow('gone');
    expect(await readdir(join(root, 'clean/incoming'))).toEqual([]);
    await store.delete('a/b/c');
    expect(await readdir(join(root, 'clean/objects'))).toEqual([]);
    await store.put('p/q/r', Buffer.from('x'));
    await store.deletePrefix('p/');
    expect(await readdir(join(root, 'clean/objects'))).toEqual([]);
  });

  it('does not follow symbolic links out of the root', async () => {
    const outside = join(root, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret'), 'secret');
    const store = await FilesystemObjectStore.open(join(root, 'linked'));
    await store.put('a/file', Buffer.from('x'));
    await symlink(outside, join(root, 'linked/objects/out+'));
    await symlink(join(outside, 'secret'), join(root, 'linked/objects/link'));

    const refused = { code: 'SOURCE_REFUSED' };
    await expect(store.get('out/secret')).rejects.toMatchObject(refused);
    await expect(store.put('out/new', Buffer.from('x'))).rejects.toMatchObject(refused);
    await expect(store.delete('out/secret')).rejects.toMatchObject(refused);
    await expect(store.get('link')).rejects.toMatchObject(refused);
    expect(await store.stat('link')).toBeNull();
    const listed = [];
    for await (const { key } of store.list('')) listed.push(key);
    expect(listed).toEqual(['a/file']);
    await store.deletePrefix('');
    expect(await readdir(outside)).toEqual(['secret']);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('sweeps what is left of processes that are gone, and nothing that is being written', async () => {
    const home = join(root, 'swept');
    const store = await FilesystemObjectStore.open(home);
    const body = new PassThrough();
    const put = store.put('still/coming', body);
    body.write('first ');
    await sleep(20);
    const [mine = ''] = await readdir(join(home, 'incoming'));
    // The same process number, begun at another time: a container restarted.
    await writeFile(join(home, 'incoming', mine.replace(/-(\d+)-(\d+)-/, '-$1-1000-')), 'left over');
    await FilesystemObjectStore.open(home);
    expect(await readdir(join(home, 'incoming'))).toEqual([mine]);
    body.end('second');
    await put;
    expect((await store.read('still/coming')).toString()).toBe('first second');
  });

  it('shows no part of an object whose writer was killed, and sweeps it at the next start', async () => {
    const home = join(root, 'killed');
    const store = await FilesystemObjectStore.open(home);
    await store.put('film', Buffer.from('old'));
    await killWriter(home);
    expect((await readdir(join(home, 'incoming'))).length).toBe(1);
    expect((await store.read('film')).toString()).toBe('old');
    const again = await FilesystemObjectStore.open(home);
    expect(await readdir(join(home, 'incoming'))).toEqual([]);
    expect((await again.read('film')).toString()).toBe('old');
  });

  it('says what is wrong with a folder it may not write to', async () => {
    const file = join(root, 'a-file');
    await writeFile(file, '');
    await expect(FilesystemObjectStore.open(join(file, 'store'))).rejects.toThrow();
    if (process.getuid?.() === 0) return;
    const locked = join(root, 'locked');
    await mkdir(locked);
    await chmod(locked, 0o500);
    await expect(FilesystemObjectStore.open(locked)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

/** A process that puts `film`, and is killed when part of it has been written. */
async function killWriter(home: string): Promise<void> {
  const program = `
    import { FilesystemObjectStore } from '${pathToFileURL(runnable('./filesystem.ts', import.meta.url)).href}';
    import { Readable } from 'node:stream';
    const store = await FilesystemObjectStore.open(process.argv[1]);
    await store.put('film', Readable.from((async function* () {
      yield Buffer.alloc(1 << 20);
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.log('writing');
      await new Promise(() => setInterval(() => {}, 1000));
    })()));`;
  const child = spawn(process.execPath, [...RUNNABLE_FLAGS, '--input-type=module', '-e', program, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}
