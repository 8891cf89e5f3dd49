/** @needs weights */
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchForSetUp, isPulled, pulledFiles } from '@adit/models';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pulledModel } from '../../../libs/analyses/testing/pulled-models.js';
import { pulledModels } from '../commands/doctor/doctor-checks.js';
import { placeFetched } from './fetched-models.js';

const reader = await pulledModel('pp-ocrv6');
const environment = { ...process.env };
let root: string;
let dataDir: string;
let cacheDir: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-needed-'));
});
beforeEach(async () => {
  dataDir = await mkdtemp(join(root, 'data-'));
  cacheDir = await mkdtemp(join(root, 'cache-'));
  process.env = { ...environment, ADIT_CACHE_DIR: cacheDir };
  delete process.env['ADIT_MODELS_DIR'];
});
afterEach(() => {
  process.env = environment;
});
afterAll(() => rm(root, { recursive: true, force: true }));

const manifestIn = (folder: string) => readFile(join(folder, 'pp-ocrv6/model.yaml'), 'utf8');
const finding = async () => {
  const models = join(dataDir, 'models');
  const settings = { modelRoots: [models], userModels: models, inference: { modelsDir: undefined } };
  return (await pulledModels(settings, cacheDir)).find(({ what }) => what.startsWith('pp-ocrv6'));
};

it('set-up goes without models that it could not fetch, and says why', async () => {
  expect(await fetchForSetUp({ cacheDir, from: join(root, 'nowhere') })).toEqual([
    {
      name: 'pp-ocrv6',
      purpose: expect.stringContaining('reads captions'),
      problem: expect.stringContaining(`There is no folder ${join(root, 'nowhere')}`),
    },
  ]);
  await placeFetched(dataDir);
  await expect(manifestIn(join(dataDir, 'models'))).rejects.toThrow('ENOENT');
  expect(await finding()).toMatchObject({ state: 'warning' });
});

const whyNot = 'reason' in reader ? ` (skipped: ${reader.reason})` : '';
(whyNot === '' ? describe : describe.skip)(`what set-up has fetched${whyNot}`, () => {
  beforeEach(async () => {
    await mkdir(join(cacheDir, 'weights'));
    const { folder } = reader as { folder: string };
    for (const { file, sha256 } of pulledFiles('pp-ocrv6').get('pp-ocrv6')!)
      await copyFile(join(folder, 'pp-ocrv6/1', file), join(cacheDir, 'weights', `${sha256}.onnx`));
  });

  it('a model is fetched once, and copied into a data folder when an engine is first started on it', async () => {
    expect(await fetchForSetUp({ cacheDir, from: join(root, 'nowhere') })).toEqual([]);
    expect(await finding()).toMatchObject({ state: 'good', what: expect.stringContaining('the next start puts it') });
    await placeFetched(dataDir);
    expect(await manifestIn(join(dataDir, 'models'))).toContain('name: pp-ocrv6');
    expect(await finding()).toMatchObject({ state: 'good', what: expect.not.stringContaining('the next start') });
    const files = pulledFiles('pp-ocrv6')
      .get('pp-ocrv6')!
      .map(({ file, sha256 }) => ({ name: file, sha256 }));
    const placed = { name: 'pp-ocrv6', folder: join(dataDir, 'models/pp-ocrv6/1'), files };
    expect(await isPulled(placed)).toBe(true);
    expect(await isPulled({ ...placed, files: files.map((file) => ({ ...file, sha256: 'a'.repeat(64) })) })).toBe(
      false,
    );
    expect(await isPulled({ ...placed, name: 'somebody-s' })).toBe(false);
    // Somebody's own from then on: it is tried before it is served.
    const path = join(dataDir, 'models/pp-ocrv6/model.yaml');
    await writeFile(path, `${await manifestIn(join(dataDir, 'models'))}\n# ours\n`);
    await placeFetched(dataDir);
    expect(await manifestIn(join(dataDir, 'models'))).toContain('# ours');
    expect(await isPulled(placed)).toBe(false);
  });

  it('a model that is not the verified one is not used', async () => {
    const [{ sha256 } = { sha256: '' }] = pulledFiles('pp-ocrv6').get('pp-ocrv6')!;
    await writeFile(join(cacheDir, 'weights', `${sha256}.onnx`), 'half');
    await placeFetched(dataDir);
    await expect(stat(join(dataDir, 'models'))).rejects.toThrow('ENOENT');
  });

  it('a model is copied into no folder of the user’s, and a failed copy keeps no engine from starting', async () => {
    const named = join(root, 'named');
    process.env['ADIT_MODELS_DIR'] = named;
    await placeFetched(dataDir);
    await expect(stat(named)).rejects.toThrow('ENOENT');
    delete process.env['ADIT_MODELS_DIR'];
    await writeFile(join(dataDir, 'models'), 'a file');
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      await placeFetched(dataDir);
      expect(said.mock.calls.join('')).toMatch(/^pp-ocrv6 is not put into \S+models: /);
    } finally {
      said.mockRestore();
    }
  });
});
