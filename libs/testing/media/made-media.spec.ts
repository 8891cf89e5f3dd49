/** @needs ffmpeg */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cachedMedia, transcode } from './made-media.js';

const { ADIT_FFMPEG, ADIT_CACHE_DIR } = process.env;
const color = (name: string) => ['-f', 'lavfi', '-i', `color=${name}:s=16x16`, '-frames:v', '1'];
const made = new Set<string>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-made-'));
});
afterEach(() => {
  Object.assign(process.env, { ADIT_FFMPEG: ADIT_FFMPEG ?? 'ffmpeg', ADIT_CACHE_DIR: ADIT_CACHE_DIR ?? '' });
});
afterAll(() => Promise.all([folder, ...made].map((path) => rm(path, { recursive: true, force: true }))));

async function noted(path: Promise<string>): Promise<string> {
  made.add(await path);
  return path;
}

describe('media made for tests', () => {
  it('belong to the clone and are made once', async () => {
    process.env.ADIT_CACHE_DIR = folder;
    const path = await noted(transcode('once.png', color('red')));
    expect(path).toContain(resolve(import.meta.dirname, '../../../node_modules/.cache/adit/test-media'));
    const { ino } = await stat(path);
    expect(await transcode('once.png', color('red'))).toBe(path);
    expect((await stat(path)).ino).toBe(ino);
  });

  /** @hardening setup: Test media of an earlier version stay in the cache */
  it('are others when anything that makes them is', async () => {
    const input = join(folder, 'input.png');
    await writeFile(input, await readFile(await noted(transcode('once.png', color('red')))));
    const direct = () => noted(transcode('scaled.png', ['-i', input, '-vf', 'scale=8:8']));
    const filtered = () => noted(transcode('scaled.png', ['-f', 'lavfi', '-i', `movie=${input},scale=8:8`]));
    const before = [await direct(), await filtered()];
    await writeFile(input, await readFile(await noted(transcode('once.png', color('blue')))));
    const after = [await direct(), await filtered()];
    expect(new Set([...before, ...after]).size).toBe(4);

    const other = join(folder, 'ffmpeg');
    await writeFile(
      other,
      `#!/bin/sh\n[ "$1" = -version ] && exec echo ffmpeg 99\nexec "${process.env.ADIT_FFMPEG ?? 'ffmpeg'}" "$@"\n`,
    );
    await chmod(other, 0o755);
    process.env.ADIT_FFMPEG = other;
    expect(after).not.toContain(await direct());

    const texts = [(path: string) => writeFile(path, 'b'), (path: string) => writeFile(path, 'a')];
    const written = texts.map((make) => noted(cachedMedia('text', '', make)));
    expect(new Set(await Promise.all(written)).size).toBe(2);
  });

  it('leave nothing behind when they cannot be made', async () => {
    await expect(cachedMedia('broken', '', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const path = await noted(cachedMedia('broken', '', (target) => writeFile(target, 'whole')));
    expect(await readFile(path, 'utf8')).toBe('whole');
  });
});
