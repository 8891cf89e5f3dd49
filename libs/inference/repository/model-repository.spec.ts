/** @needs weights */
import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { dump } from 'js-yaml';
import { checkGolden } from './golden.js';
import { ModelRepository, type ModelRepositoryOptions } from './model-repository.js';
import { SessionPool } from '../sessions/session-pool.js';
import { linearGraph } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

let folder: string;
let root: string;
let opened: ModelRepository[];
const pool = new SessionPool({ onnx: { threads: 1 } });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-models-'));
  root = join(folder, 'models');
  await mkdir(root);
  opened = [];
});

afterEach(async () => {
  for (const repository of opened) await repository.close();
  await rm(folder, { recursive: true, force: true });
});

const manifest = (name: string, more: object = {}): string =>
  dump({ name, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', ...more });

async function install(name: string, versions: Record<number, Buffer>, more: object = {}, into = root): Promise<void> {
  await mkdir(join(into, name), { recursive: true });
  await writeFile(join(into, name, 'model.yaml'), manifest(name, more));
  for (const [version, graph] of Object.entries(versions)) {
    await mkdir(join(into, name, version), { recursive: true });
    await writeFile(join(into, name, version, 'model.onnx'), graph);
  }
}

async function open(options: Partial<ModelRepositoryOptions> = {}): Promise<ModelRepository> {
  const repository = await ModelRepository.open({
    roots: [root],
    settleMs: 60,
    pollMs: 120_000,
    check: (model) => pool.check(model, (run) => checkGolden(model, run)),
    ...options,
  });
  opened.push(repository);
  return repository;
}

/** Waits for a condition by the repository's own notifications, long before it would poll. */
async function until(repository: ModelRepository, condition: () => boolean): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('It never came to that.')), 60_000);
    const record = (): void => {
      if (!condition()) return;
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = repository.onChange(record);
    record();
  });
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('ModelRepository', () => {
  it('resolves names to the highest version, the default when one is set, or the requested one', async () => {
    await install('line', { 1: linearGraph(2, 2), 2: linearGraph(2, 3), 10: linearGraph(2, 4) });
    await install('kept', { 1: linearGraph(3, 2), 2: linearGraph(3, 3) }, { defaultVersion: 1 });
    const repository = await open();
    expect(repository.problems()).toEqual([]);
    expect(repository.resolve('line').pin.version).toBe(10);
    expect(repository.resolve('kept').pin.version).toBe(1);
    const second = repository.resolve('line', 2);
    expect(repository.byDigest(second.pin.digest)).toBe(second);
    expect(repository.list().map(({ pin }) => `${pin.name}/${pin.version}`)).toEqual([
      'kept/1',
      'kept/2',
      'line/1',
      'line/2',
      'line/10',
    ]);
  });

  it('lists the installed models when one is missing', async () => {
    await install('line', { 1: linearGraph(2, 2) });
    const repository = await open();
    const ask = (): unknown => repository.resolve('circle');
    expect(ask).toThrow(AditError);
    expect(ask).toThrow(/circle is not installed.*Installed: line/);
    expect(() => repository.resolve('line', 7)).toThrow(/line version 7/);
    expect(() => repository.byDigest('0'.repeat(64))).toThrow(/No installed model/);
  });

  it('reads again for a version that another process has pinned before this one noticed it', async () => {
    await install('line', { 1: linearGraph(2, 2) });
    const repository = await open();
    await install('line', { 2: linearGraph(2, 3) });
    await new Promise((resolve) => setTimeout(resolve, 80));
    const elsewhere = (await open()).resolve('line', 2);
    expect(() => repository.byDigest(elsewhere.pin.digest)).toThrow(/No installed model/);
    expect((await repository.pinned(elsewhere.pin.digest)).pin).toEqual(elsewhere.pin);
    await expect(repository.pinned('0'.repeat(64))).rejects.toThrow(/No installed model/);
  });

  it('gives different digests to other weights and other pre-processing, equal ones to equal models', async () => {
    const input = { tensor: 'x', width: 1, height: 1 };
    await install('a', { 1: linearGraph(2, 2), 2: linearGraph(2, 2.5) }, { input });
    const user = join(folder, 'user');
    await install('b', { 1: linearGraph(2, 2) }, { input }, user);
    await install('c', { 1: linearGraph(2, 2) }, { input: { ...input, mean: [5, 5, 5] } }, user);
    const repository = await open({ roots: [root, user] });
    const digest = (name: string, version = 1): string => repository.resolve(name, version).pin.digest;
    expect(digest('a')).toBe(digest('b'));
    expect(new Set([digest('a'), digest('a', 2), digest('c')]).size).toBe(3);
    expect(repository.resolve('a').files[0]!.sha256).toBe(sha256(linearGraph(2, 2.5)));
  });

  it("prefers the user's folder over built-in models of the same name", async () => {
    const user = join(folder, 'user');
    await install('line', { 1: linearGraph(2, 2) }, { description: 'built in' });
    await install('line', { 1: linearGraph(2, 9) }, { description: 'mine' }, user);
    const repository = await open({ roots: [root, user] });
    expect(repository.list().map((model) => model.manifest.description)).toEqual(['mine']);
  });

  it('reports broken models with the reason and serves the rest', async () => {
    await install('good', { 1: linearGraph(2, 2) });
    await install('torn', { 1: linearGraph(2, 2).subarray(0, 40) });
    await install('forged', { 1: linearGraph(2, 2) }, { sha256: { 1: 'ab'.repeat(32) } });
    await install('empty', {});
    await install('renamed', { 1: linearGraph(2, 2) });
    await writeFile(join(root, 'renamed/model.yaml'), manifest('other'));
    await install('unlicensed', { 1: linearGraph(2, 2) }, { licence: 7 });
    await mkdir(join(root, 'bare/1'), { recursive: true });
    await install('wrong', { 1: linearGraph(2, 2) });
    const golden = { inputs: { x: { dims: [2], data: [1, 2] } }, outputs: { y: { dims: [2], data: [3, 99] } } };
    await writeFile(join(root, 'wrong/1/golden.json'), JSON.stringify(golden));
    await mkdir(join(root, 'no-model-at-all'));
    const repository = await open();
    expect(repository.list().map(({ pin }) => pin.name)).toEqual(['good']);
    const reasons = Object.fromEntries(repository.problems().map(({ model, message }) => [model, message]));
    expect(Object.keys(reasons).sort()).toEqual(['bare', 'empty', 'forged', 'renamed', 'torn', 'unlicensed', 'wrong']);
    expect(reasons.torn).toMatch(/cannot be loaded/);
    expect(reasons.forged).toMatch(/SHA-256/);
    expect(reasons.empty).toMatch(/empty\/1\/model\.onnx/);
    expect(reasons.renamed).toMatch(/calls itself other/);
    expect(reasons.unlicensed).toMatch(/licence/);
    expect(reasons.bare).toMatch(/neither model\.yaml nor config\.pbtxt/);
    expect(reasons.wrong).toMatch(/golden output y differs by 94/);
    expect(() => repository.resolve('torn')).toThrow(/torn is not installed \(.*cannot be loaded/);
  });

  /** @hardening privacy: A model names a file outside of its folder */
  it("serves Triton's layout unchanged", async () => {
    await mkdir(join(root, 'tri/1'), { recursive: true });
    await writeFile(
      join(root, 'tri/config.pbtxt'),
      'name: "tri" max_batch_size: 4 input { name: "x" dims: [2] } output { name: "y" dims: [2] label_filename: "labels.txt" }',
    );
    await writeFile(join(root, 'tri/labels.txt'), 'cat\r\ndog\n\n');
    await writeFile(join(root, 'tri/1/model.onnx'), linearGraph(2, 3));
    const repository = await open();
    const model = repository.resolve('tri');
    expect(model.manifest).toMatchObject({ maxBatch: 4, labels: ['cat', 'dog'] });
    const { network, release } = await pool.acquire(model);
    expect([...(await network.run({ x: floatTensor(Float32Array.of(1, 5), [2]) })).y!.data]).toEqual([4, 16]);
    release();
  });

  it.each<[string, string | Buffer, object]>([
    ['with a blank line between two labels', 'cat\n\ndog\n', { problem: /Line 2 of the labels is empty/ }],
    ['in UTF-16', Buffer.from('\uFEFFcat\r\ndog\r\n', 'utf16le'), { labels: ['cat', 'dog'] }],
    ['in another encoding', Buffer.from('Stra\xdfe\ncat', 'latin1'), { problem: /labels\.txt is not UTF-8 text/ }],
  ])('counts the labels of Triton as they are written: %s', async (_, text, wanted) => {
    await mkdir(join(root, 'tri/1'), { recursive: true });
    await writeFile(
      join(root, 'tri/config.pbtxt'),
      'name: "tri" input { name: "x" dims: [2] } output { name: "y" dims: [2] label_filename: "labels.txt" }',
    );
    await writeFile(join(root, 'tri/labels.txt'), text);
    await writeFile(join(root, 'tri/1/model.onnx'), linearGraph(2, 3));
    const repository = await open();
    const [model] = repository.list();
    const [problem] = repository.problems();
    expect({ labels: model?.manifest.labels, problem: problem?.message }).toMatchObject(
      'problem' in wanted ? { problem: expect.stringMatching(wanted.problem as RegExp) } : wanted,
    );
  });

  it.each(['../labels.txt', 'sub/labels.txt', '..', '/etc/passwd'])('reads no labels at %s', async (path) => {
    await mkdir(join(root, 'far/1'), { recursive: true });
    await writeFile(
      join(root, 'far/config.pbtxt'),
      `name: "far" input { name: "x" dims: [2] } output { name: "y" dims: [2] label_filename: "${path}" }`,
    );
    await writeFile(join(root, 'labels.txt'), 'secret');
    await writeFile(join(root, 'far/1/model.onnx'), linearGraph(2, 3));
    const repository = await open();
    expect(() => repository.resolve('far')).toThrow(/far is not installed \(.*is no file beside config\.pbtxt/);
  });

  it('treats the files of a gallery as one digest and returns them only unchanged', async () => {
    await mkdir(join(root, 'team/1'), { recursive: true });
    await writeFile(
      join(root, 'team/model.yaml'),
      manifest('team', { kind: 'gallery', embedding: 'face-embedding', dimensions: 2 }),
    );
    await writeFile(join(root, 'team/1/gallery.json'), '{}');
    await writeFile(join(root, 'team/1/embeddings.bin'), 'abcdefgh');
    const repository = await open();
    const { pin } = repository.resolve('team');
    expect((await repository.readFile(pin, 'embeddings.bin')).toString()).toBe('abcdefgh');
    await expect(repository.readFile(pin, '../model.yaml')).rejects.toThrow(/has no file/);
    await writeFile(join(root, 'team/1/embeddings.bin'), 'abcdefgX');
    await utimes(join(root, 'team/1/embeddings.bin'), 1, 1);
    await expect(repository.readFile(pin, 'embeddings.bin')).rejects.toThrow(/install it as a new version/);
    await new Promise((resolve) => setTimeout(resolve, 80));
    await repository.refresh();
    expect(repository.resolve('team').pin.digest).not.toBe(pin.digest);
    expect(() => repository.byDigest(pin.digest)).toThrow(/this job was posted with/);
  });

  it('notices new, changed, broken and removed models while running', async () => {
    await install('first', { 1: linearGraph(2, 2) });
    const repository = await open({ watch: true });
    const names = (): string =>
      repository
        .list()
        .map(({ pin }) => `${pin.name}${pin.version}`)
        .join();

    await install('second', { 1: linearGraph(2, 3) });
    await until(repository, () => names() === 'first1,second1');

    await mkdir(join(root, 'second/2'));
    await writeFile(join(root, 'second/2/model.onnx'), linearGraph(2, 4));
    await until(repository, () => names() === 'first1,second1,second2');

    const before = repository.resolve('first').pin.digest;
    await writeFile(join(root, 'first/1/model.onnx'), linearGraph(2, 7));
    await until(repository, () => names().includes('first1') && repository.resolve('first').pin.digest !== before);

    await writeFile(join(root, 'first/1/model.onnx'), 'not a graph');
    await until(repository, () => names() === 'second1,second2');
    expect(repository.problems().map(({ model, version }) => [model, version])).toEqual([['first', 1]]);

    await rm(join(root, 'first'), { recursive: true });
    await until(repository, () => repository.problems().length === 0);
    await cp(join(root, 'second'), join(root, '.third'), { recursive: true });
    await rename(join(root, '.third'), join(root, 'third'));
    await until(repository, () => repository.problems().some(({ message }) => message.includes('calls itself second')));
  });

  it('does not serve a folder that is still being written', async () => {
    const repository = await open({ watch: true, settleMs: 250 });
    const seen: string[] = [];
    repository.onChange(() => seen.push([...repository.list(), ...repository.problems()].length.toString()));
    const graph = linearGraph(64, 2);
    await install('slow', { 1: graph.subarray(0, 10) });
    for (let at = 10; at < graph.length; at += 20) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      await appendFile(join(root, 'slow/1/model.onnx'), graph.subarray(at, at + 20));
      // A copying tool may set the time of the original.
      await utimes(join(root, 'slow/1/model.onnx'), 1, 1);
      expect(repository.list().length + repository.problems().length).toBe(0);
    }
    await until(repository, () => repository.list().length === 1);
    expect(seen).toEqual(['1']);
  });
});
