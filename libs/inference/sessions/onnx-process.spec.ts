/** @needs weights */
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { elementAt } from '@adit/contracts';
import { tensor } from '../graph/graph-writing.js';
import type { ModelVersion } from '../repository/model-folder.js';
import { ModelRepository } from '../repository/model-repository.js';
import { OnnxProcess, type ProcessLimits } from './onnx-process.js';
import { OnnxSession } from './onnx-session.js';
import { SessionPool } from './session-pool.js';
import { PIXELS } from '../graph/pixel-graph.js';
import { echoGraph, growingGraph, linearGraph, loopingGraph, model, node, valueInfo } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

const MEBIBYTE = 1024 ** 2;
const LIMITS = { memoryBytes: 1024 * MEBIBYTE, setting: 'A_SETTING', seconds: 60, secondsSetting: 'B_SETTING' };
/** Twice the memory limit, in floats. */
const TOO_MANY = (2 * LIMITS.memoryBytes) / 4;
const ONE_THREAD = { providers: ['cpu' as const], threads: 1 };
/** A network of pictures with that many unused weights. */
const heavyGraph = (numbers: number) =>
  model([
    [1, node('GlobalAveragePool', ['x'], 'y')],
    [5, tensor('weights', 1, [numbers], new Float32Array(numbers))],
    [11, valueInfo('x', ['N', 3, 4, 4])],
    [12, valueInfo('y', ['N', 3, 1, 1])],
  ]);
const PICTURES = `input: { tensor: x, width: 4, height: 4, layout: nchw, colour: rgb, mean: [0, 0, 0], std: [2, 2, 2] }\n`;
const number = (value: number) => ({ x: floatTensor(Float32Array.of(value), [1]) });

describe('a model of a workspace', () => {
  let root: string;
  let repository: ModelRepository;
  /** Simulates a stored version whose files need no fetching. */
  const ofWorkspace = (name: string): ModelVersion => ({
    ...repository.resolve(name),
    stored: { workspaceId: 'w', isRetired: false, hold: () => Promise.resolve(() => undefined) },
  });
  const poolOf = (more: Partial<ProcessLimits> = {}) =>
    new SessionPool({ onnx: { threads: 1 }, workers: 2, apart: { ...LIMITS, ...more } });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'adit-apart-'));
    const graphs = { grows: growingGraph(), loops: loopingGraph(), ...{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 } };
    for (const [name, graph] of Object.entries(graphs)) {
      await mkdir(join(root, name, '1'), { recursive: true });
      const manifest = `name: ${name}\nkind: network\ntask: test\nlicence: MIT\norigin: a spec\n`;
      await writeFile(join(root, name, 'model.yaml'), manifest);
      await writeFile(join(root, name, '1/model.onnx'), typeof graph === 'number' ? linearGraph(1, graph) : graph);
    }
    await mkdir(join(root, 'heavy/1'), { recursive: true });
    const manifest = `name: heavy\nkind: network\ntask: test\nlicence: MIT\norigin: a spec\n${PICTURES}`;
    await writeFile(join(root, 'heavy/model.yaml'), manifest);
    await writeFile(join(root, 'heavy/1/model.onnx'), heavyGraph(10 * MEBIBYTE));
    repository = await ModelRepository.open({ roots: [root], settleMs: 0 });
  });
  afterAll(async () => {
    await repository?.close();
    await rm(root, { recursive: true, force: true });
  });

  /** @hardening overload: The model of a workspace takes any memory */
  it('that would take gigabytes for a picture fails for that picture, while others continue', async () => {
    const pool = poolOf();
    const greedy = await pool.acquire(ofWorkspace('grows'));
    const neighbour = await pool.acquire(repository.resolve('b'));
    expect([...(await greedy.network.run(number(3))).y!.data]).toEqual([1]);
    const failing = greedy.network.run(number(TOO_MANY));
    const others = Array.from({ length: 20 }, (_, i) => neighbour.network.run(number(i)));
    await expect(failing).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('more than 1024 MiB of memory (A_SETTING)'),
    });
    expect((await Promise.all(others)).map(({ y }) => y!.data[0])).toEqual(others.map((_, i) => 2 * i + 1));
    greedy.release();
    neighbour.release();
    const again = await pool.acquire(ofWorkspace('grows'));
    expect([...(await again.network.run(number(4))).y!.data]).toEqual([1]);
    again.release();
    await pool.close();
  });

  it('with an endless run is stopped, while others continue, and is loaded anew', async () => {
    const before = await processesOf(process.pid);
    const pool = poolOf({ seconds: 12 });
    const endless = await pool.acquire(ofWorkspace('loops'));
    const neighbour = await pool.acquire(ofWorkspace('a'));
    expect([...(await endless.network.run(number(3))).y!.data]).toEqual([8]);
    const begun = performance.now();
    const failing = Promise.allSettled([endless.network.run(number(1e15)), endless.network.run(number(2))]);
    expect((await neighbour.network.run(number(4))).y!.data[0]).toBe(5);
    const [stuck, behind] = await failing;
    expect(performance.now() - begun).toBeLessThan(40_000);
    for (const each of [stuck, behind]) {
      expect(each).toMatchObject({
        reason: {
          code: 'LIMIT_EXCEEDED',
          message: expect.stringMatching(/model loops took more than 12 s \(B_SETTING\)/),
        },
      });
    }
    expect((await neighbour.network.run(number(5))).y!.data[0]).toBe(6);
    endless.release();
    const again = await pool.acquire(ofWorkspace('loops'));
    expect([...(await again.network.run(number(1))).y!.data]).toEqual([2]);
    // Many runs that each end in time do not count as endless.
    await Promise.all(Array.from({ length: 4 }, () => again.network.run(number(2))));
    again.release();
    neighbour.release();
    await pool.close();
    expect((await processesOf(process.pid)).filter((pid) => !before.includes(pid))).toEqual([]);
  }, 120_000);

  it('whose process is killed is loaded anew', async () => {
    const gone: string[] = [];
    const observer = { evicted: (model: string) => void gone.push(model) };
    const pool = new SessionPool({ onnx: { threads: 1 }, workers: 1, apart: LIMITS, observer });
    const before = await processesOf(process.pid);
    const first = await pool.acquire(ofWorkspace('a'));
    const [own, ...more] = (await processesOf(process.pid)).filter((pid) => !before.includes(pid));
    expect(more).toEqual([]);
    process.kill(own!, 'SIGKILL');
    await expect(
      (async () => {
        for (;;) await first.network.run(number(1));
      })(),
    ).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('SIGKILL') });
    first.release();
    expect([gone, pool.size]).toEqual([['a'], 0]);
    const again = await pool.acquire(ofWorkspace('a'));
    expect((await again.network.run(number(1))).y!.data[0]).toBe(2);
    again.release();
    await pool.close();
    expect((await processesOf(process.pid)).filter((pid) => !before.includes(pid))).toEqual([]);
  });

  it('keeps its idle process only along with a few others', async () => {
    const pool = poolOf();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) (await pool.acquire(ofWorkspace(name))).release();
    expect(pool.size).toBe(4);
    (await pool.acquire(repository.resolve('grows'))).release();
    expect(pool.size).toBe(5);
    await pool.close();
  });

  it('answers from its process as from a thread', async () => {
    const own = new OnnxProcess('own', LIMITS);
    const graph = join(root, 'c/1/model.onnx');
    const [there, here] = [await OnnxSession.load(graph, ONE_THREAD, own), await OnnxSession.load(graph, ONE_THREAD)];
    const shared = new Float32Array(new SharedArrayBuffer(4)).fill(7);
    for (const data of [Float32Array.of(2), Float32Array.of(0, 8).subarray(1), shared]) {
      const row = { x: floatTensor(data, [1]) };
      expect(await there.run([row])).toEqual(await here.run([row]));
    }
    // A view into a buffer above the process's memory limit: the rest of the buffer is not sent, and the sent part
    // stays intact.
    const part = new Float32Array(LIMITS.memoryBytes / 4 + 1).subarray(-1).fill(5);
    const row = { x: floatTensor(part, [1]) };
    expect(await there.run([row])).toEqual(await here.run([row]));
    expect([...part]).toEqual([5]);
    expect([there.inputs, there.outputs]).toEqual([here.inputs, here.outputs]);
    await expect(OnnxSession.load(join(root, 'none.onnx'), ONE_THREAD, own)).rejects.toThrow(/none\.onnx/);
    await Promise.all([there.release(), here.release()]);
    await own.close();
  });

  it('exchanges large tensors beside the channel, however many and however large', async () => {
    const size = 500_000;
    const own = new OnnxProcess('own', LIMITS);
    const there = await OnnxSession.load(echoGraph(['N', size]), ONE_THREAD, own);
    const pictures = Array.from({ length: 12 }, (_, i) =>
      floatTensor(new Float32Array(new SharedArrayBuffer(4 * size)).fill(i), [size]),
    );
    const answers = await Promise.all(pictures.map((x) => there.run([{ x }])));
    for (const [i, [answer]] of answers.entries()) {
      expect(answer!.y!.dims).toEqual([size]);
      expect(Buffer.from(answer!.y!.data.buffer).equals(Buffer.from(pictures[i]!.data.buffer))).toBe(true);
    }
    // Together more than one call's slot in the file.
    const many = await there.run(Array.from({ length: 20 }, (_, i) => ({ x: elementAt(pictures, i % 12) })));
    expect(many.map(({ y }) => [y!.data[0], y!.data.at(-1)])).toEqual(many.map((_, i) => [i % 12, i % 12]));
    await there.release();
    await own.close();
  });

  (process.platform === 'linux' ? it : it.skip)(
    'is read, and made anew for its pictures, in its process alone',
    async () => {
      const { size } = await stat(join(root, 'heavy/1/model.onnx'));
      for (const precision of ['float32', 'float16'] as const) {
        const pool = poolOf();
        const before = await processesOf(process.pid);
        const moved = await bytesMoved('self');
        const heavy = await pool.acquire(ofWorkspace('heavy'), precision);
        const [pid] = (await processesOf(process.pid)).filter((each) => !before.includes(each));
        expect((await bytesMoved('self')) - moved).toBeLessThan(size / 4);
        expect(await bytesMoved(pid!)).toBeGreaterThan(size);
        const pixels = floatTensor(new Float32Array(4 * 4 * 3).fill(6), [4, 4, 3]);
        expect([...(await heavy.network.runPixels!(pixels)).y!.data]).toEqual([3, 3, 3]);
        heavy.release();
        await pool.close();
      }
    },
  );

  it('reports its inputs, with its pixels in front or not', async () => {
    const own = new OnnxProcess('own', LIMITS);
    const path = join(root, 'heavy/1/model.onnx');
    const pixels = ofWorkspace('heavy').manifest.input!;
    const ofPixels = await OnnxSession.load({ path, form: 'cpu', pixels }, ONE_THREAD, own);
    const plain = await OnnxSession.load({ path, form: 'cpu' }, ONE_THREAD, own);
    expect([ofPixels, plain].map(({ inputs }) => inputs.map(({ name }) => name))).toEqual([[PIXELS], ['x']]);
    // It has no product, so float16 would gain nothing.
    await expect(
      OnnxSession.load({ path: join(root, 'grows/1/model.onnx'), form: 'rounded' }, ONE_THREAD, own),
    ).rejects.toMatchObject({ code: 'VALIDATION' });
    await own.close();
  });

  (process.platform === 'linux' ? it : it.skip)('has no file to write to but the one for its tensors', async () => {
    const before = await processesOf(process.pid);
    const own = new OnnxProcess('own', LIMITS);
    const there = await OnnxSession.load(join(root, 'a/1/model.onnx'), ONE_THREAD, own);
    const [pid] = (await processesOf(process.pid)).filter((each) => !before.includes(each));
    const writable = await Promise.all(
      (await readdir(`/proc/${pid}/fd`)).map(async (descriptor) => {
        const [info, path] = await Promise.all([
          readFile(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'),
          readlink(`/proc/${pid}/fd/${descriptor}`),
        ]);
        const flags = Number.parseInt(/^flags:\s+(\d+)/m.exec(info)?.[1] ?? '', 8);
        // A log that ONNX Runtime opened in this process stays open in its children.
        return /^\/(?!dev\/null$|.*mat-debug)/.test(path) && (flags & 3) !== 0 ? [path] : [];
      }),
    );
    expect(writable.flat()).toEqual([expect.stringMatching(/\/adit-[-0-9a-f]{36} \(deleted\)$/)]);
    // A seccomp filter is active, and file sizes are limited.
    expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^Seccomp:\s+2$/m);
    expect(await readFile(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max file size\s+134217728\s+134217728 /m);
    await there.release();
    await own.close();
  });
});

/** Returns the bytes that a process has read and written so far, on files and channels, in all threads. */
async function bytesMoved(pid: number | 'self'): Promise<number> {
  const io = await readFile(`/proc/${pid}/io`, 'utf8');
  return [...io.matchAll(/^[rw]char: (\d+)$/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/** Returns the process ids of a process's running children. */
async function processesOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const numbers = children.split(' ').filter(Boolean).map(Number);
  const running = await Promise.all(
    numbers.map(async (each) => {
      const status = await readFile(`/proc/${each}/stat`, 'utf8').catch(() => ') Z');
      return / Z/.test(status.slice(status.lastIndexOf(')'))) ? [] : [each];
    }),
  );
  return running.flat();
}
