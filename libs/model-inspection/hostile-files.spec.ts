/** @needs weights, build */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { AditError } from '@adit/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create } from 'tar';
import { unpackModel } from './archive.js';
import { inspectModel } from './inspect-model.js';
import { loop, simple, UNFIT, UNREADABLE } from './testing/hostile-files.js';
import { graphOf, model } from './testing/onnx-file.js';

/** Limits of a check here: generous, since a child starts slowly on a loaded machine. */
const LIMITS = { timeoutSeconds: 90, memoryBytes: 4 * 1024 ** 3 };
const ARCHIVE = { maxBytes: 8 << 20, maxEntries: 20 };
/** Time for a child to start, be stopped and end on a loaded machine. */
const MAX_MS = 120_000;
/** This process reads archives itself. */
const MAX_GROWTH = 256 * 1024 ** 2;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-hostile-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Processes an upload: unpacks an archive, then inspects it in a separate process. Returns the refusal. */
async function refusal(bytes: Uint8Array, limits = LIMITS): Promise<{ code: string; message: string }> {
  const place = await mkdtemp(join(folder, 'given-'));
  const unpacked = join(place, 'unpacked');
  await mkdir(unpacked);
  await writeFile(join(place, 'given'), bytes);
  const before = (await readdir(folder)).length;
  const memory = process.memoryUsage().rss;
  const started = performance.now();
  try {
    const graph = (await unpackModel(join(place, 'given'), unpacked, ARCHIVE)) ?? join(place, 'given');
    await inspectModel(graph, { limits });
  } catch (error) {
    expect(performance.now() - started).toBeLessThan(MAX_MS);
    expect(process.memoryUsage().rss - memory).toBeLessThan(MAX_GROWTH);
    // No other file is left, and no process continues.
    expect([(await readdir(place)).sort(), (await readdir(folder)).length]).toEqual([['given', 'unpacked'], before]);
    if (error instanceof AditError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('It was taken.');
}

async function tarOf(files: Record<string, Uint8Array | string>, links: Record<string, string> = {}): Promise<Buffer> {
  const cwd = await mkdtemp(join(tmpdir(), 'adit-tar-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
    for (const [name, target] of Object.entries(links)) await symlink(target, join(cwd, name));
    await create({ cwd, file: join(cwd, 'a.tar') }, [...Object.keys(files), ...Object.keys(links)]);
    return await readFile(join(cwd, 'a.tar'));
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const good = model(simple());
const bomb = ['a: &a [x, x]', ...Array.from({ length: 9 }, (_, at) => `b${at}: [*a, *a]`)].join('\n');
const beside = (name: string, text: string) => tarOf({ 'model.onnx': good, [name]: text });
/** The same length, so that the checksums of the archive's headers are recomputed. */
async function renamed(name: string): Promise<Buffer> {
  const tar = await tarOf({ 'model.onnx': good });
  tar.fill(0, 0, 100).write(name, 0);
  tar.fill(' ', 148, 156);
  const sum = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}

const ARCHIVES: readonly (readonly [what: string, bytes: () => Promise<Uint8Array>, message: RegExp])[] = [
  ['a path out of the folder', () => renamed('../model.onnx'), /paths in it are relative, without "\.\."/],
  ['an absolute path', () => renamed('/tmp/model.onnx'), /paths in it are relative|cannot be read/],
  ['folders in folders', () => renamed('a/b/c/d/e/f/model.onnx'), /at most 4 folders deep/],
  ['a link to a file of the machine', () => tarOf({}, { 'model.onnx': '/etc/passwd' }), /links and devices/],
  ['no graph', () => tarOf({ 'readme.txt': 'x' }), /holds no ONNX file/],
  ['two graphs', () => tarOf({ 'a.onnx': good, 'b.onnx': good }), /several ONNX files \(a\.onnx, b\.onnx\): send one/],
  [
    'more than may be unpacked',
    async () => gzipSync(await tarOf({ 'model.onnx': Buffer.alloc(16 << 20) })),
    /more than 8388608 bytes/,
  ],
  ['an archive in it', async () => gzipSync(gzipSync(await tarOf({ 'model.onnx': good }))), /gzipped twice/],
  ['many files', () => tarOf(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, '']))), /20 entries/],
  ['half of itself', async () => (await tarOf({ 'model.onnx': good })).subarray(0, 700), /cannot be read|not an ONNX/],
  ['a bomb of YAML', () => beside('inference.yml', bomb), /inference\.yml beside the graph is not YAML/],
  ['a config that is none', () => beside('config.json', '{'), /config\.json beside the graph is not JSON: mend it/],
  ['a label for no class', () => beside('labels.txt', 'one thing\n\nother'), /Line 2 of the labels is empty/],
];

/** Graphs that run beyond their limits. */
const GREEDY: readonly (readonly [what: string, graph: Uint8Array, code: string, limits: typeof LIMITS])[] = [
  ['never ends', model(loop(1e15)), 'LIMIT_EXCEEDED', { ...LIMITS, timeoutSeconds: 10 }],
  ['wants 8 GiB', model(graphOf([1, 3, 64, 64], { y: [1024, 1024, 1024, 2] })), 'VALIDATION', LIMITS],
];

const REFUSED = [
  ...UNREADABLE.map(([what, bytes, message]) => [what, () => Promise.resolve(bytes), message] as const),
  ...UNFIT.map(([what, graph, message]) => [what, () => Promise.resolve(model(graph)), message] as const),
  ...ARCHIVES.map(([what, bytes, message]) => [`an archive with ${what}`, bytes, message] as const),
];

describe('a hostile file', () => {
  it('is one of at least forty', () => {
    expect(REFUSED.length + GREEDY.length).toBeGreaterThanOrEqual(40);
  });

  it.each(REFUSED)(
    'is refused with a clear reason: %s',
    async (_, bytes, message) => {
      const refused = await refusal(await bytes());
      expect(['VALIDATION', 'TOO_LARGE']).toContain(refused.code);
      expect(refused.message).toMatch(message);
    },
    MAX_MS,
  );

  it.each(GREEDY)(
    'is held to its limits: it %s',
    async (_, bytes, code, limits) => {
      expect((await refusal(bytes, limits)).code).toBe(code);
    },
    MAX_MS,
  );
});
