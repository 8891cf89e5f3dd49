/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { ModelRepository } from './repository/model-repository.js';
import { THIS_THREAD } from './sessions/onnx-graph.js';
import { OnnxSession } from './sessions/onnx-session.js';
import { OnnxThread } from './sessions/onnx-thread.js';
import { SessionPool } from './sessions/session-pool.js';
import type { Row } from './session.js';
import { castGraph, echoGraph, totalGraph, typedGraph } from './graph/spec-graph.js';
import { floatsOf, floatTensor, float16Value, shapeText, type Tensor, type TensorType } from './tensor.js';

const ONE_THREAD = { providers: ['cpu' as const], threads: 1 };
const GREAT = 2n ** 53n + 1n;

/** A row of four values of each type, and their numbers. */
const ROWS: { tensor: Tensor; numbers: number[] }[] = [
  { tensor: floatTensor(Float32Array.of(0.5, -1, 3e38, 0), [4]), numbers: [0.5, -1, Math.fround(3e38), 0] },
  {
    tensor: { type: 'float16', data: Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001), dims: [4] },
    numbers: [1, -2, 65504, 2 ** -24],
  },
  { tensor: { type: 'uint8', data: Uint8Array.of(0, 1, 128, 255), dims: [4] }, numbers: [0, 1, 128, 255] },
  { tensor: { type: 'int32', data: Int32Array.of(-7, 0, 7, 65536), dims: [4] }, numbers: [-7, 0, 7, 65536] },
  {
    tensor: { type: 'int64', data: BigInt64Array.of(-1n, 0n, GREAT, 50257n), dims: [4] },
    numbers: [-1, 0, 2 ** 53, 50257],
  },
  { tensor: { type: 'bool', data: Uint8Array.of(1, 0, 0, 1), dims: [4] }, numbers: [1, 0, 0, 1] },
];
const TYPES = ROWS.map(({ tensor }) => tensor.type);

/** The same values in shared memory. */
function shared(tensor: Tensor): Tensor {
  const { data } = tensor;
  const copy = new (data.constructor as new (buffer: SharedArrayBuffer) => Float32Array)(
    new SharedArrayBuffer(data.byteLength),
  );
  copy.set(data as Float32Array);
  return { ...tensor, data: copy } as Tensor;
}

const rowOf = (change: (tensor: Tensor) => Tensor): Row =>
  Object.fromEntries(ROWS.map(({ tensor }) => [`${tensor.type}_in`, change(tensor)]));

describe('tensors of every type', () => {
  it.each([
    ['in this thread', () => THIS_THREAD],
    ['in a thread of their own', () => new OnnxThread()],
  ])('reach a network in their own type, and come back, %s', async (_, hostOf) => {
    const host = hostOf();
    const session = await OnnxSession.load(typedGraph(TYPES, ['N', 4]), ONE_THREAD, host);
    const rows = [rowOf((tensor) => tensor), rowOf(shared)];
    const before = structuredClone(rows[0]);
    for (const out of [...(await session.run(rows)), ...(await session.run([rows[1]!]))]) {
      for (const { tensor, numbers } of ROWS) {
        expect(out[`${tensor.type}_same`]).toEqual(tensor);
        expect([...out[`${tensor.type}_float`]!.data]).toEqual(numbers);
      }
    }
    expect(rows[0]).toEqual(before);
    await session.release();
    if (host instanceof OnnxThread) await host.close();
  });

  it('are read as numbers', () => {
    const read = floatsOf(rowOf((tensor) => tensor));
    for (const { tensor, numbers } of ROWS) {
      expect(read[`${tensor.type}_in`]).toEqual(floatTensor(Float32Array.from(numbers), [4]));
    }
  });

  it('hold scalars and no values', async () => {
    for (const dims of [[], [2, 0, 3]]) {
      const graph = dims.length === 0 ? echoGraph([]) : echoGraph(['N', 2, 'past', 3]);
      const session = await OnnxSession.load(graph, ONE_THREAD);
      const tensor = floatTensor(new Float32Array(dims.length === 0 ? 1 : 0).fill(5), dims);
      expect(await session.run([{ x: tensor }])).toEqual([{ y: tensor }]);
      await session.release();
    }
  });

  it('may be one value per row', async () => {
    const session = await OnnxSession.load(echoGraph(['N']), ONE_THREAD);
    const rows = [1, 2, 3].map((value) => ({ x: floatTensor(Float32Array.of(value), []) }));
    const answers = [...(await session.run(rows)), ...(await session.run([rows[0]!]))];
    expect(answers.map(({ y }) => [y!.dims, [...y!.data]])).toEqual([1, 2, 3, 1].map((value) => [[], [value]]));
    await session.release();
  });

  it('omit text, and convert other numbers to float32', async () => {
    const x = floatTensor(Float32Array.of(1, 2), [2]);
    const text = await OnnxSession.load(castGraph(['N', 2], 'string'), ONE_THREAD);
    expect(await text.run([{ x }])).toEqual([{}]);
    const doubles = await OnnxSession.load(castGraph(['N', 2], 'float64'), ONE_THREAD);
    expect(await doubles.run([{ x }])).toEqual([{ y: x }]);
    await Promise.all([text.release(), doubles.release()]);
  });
});

describe('a float16 number', () => {
  it("equals ONNX Runtime's interpretation, for all of them", async () => {
    const session = await OnnxSession.load(typedGraph(['float16'], ['N', 65536]), ONE_THREAD);
    const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const [out] = await session.run([{ float16_in: { type: 'float16', data: bits, dims: [65536] } }]);
    expect(Float32Array.from(bits, float16Value)).toEqual(out!.float16_float!.data);
    await session.release();
  });
});

describe('a row that a network does not accept', () => {
  const refusal = async (row: Row): Promise<unknown> => {
    const session = await OnnxSession.load(typedGraph(['int64'], ['N', 4]), ONE_THREAD);
    const outcome = await session.run([row]).catch((error: unknown) => error);
    await session.release();
    return outcome;
  };
  const INPUT = 'The input int64_in is int64 N×4, batch first; a row gave';
  const int64 = (length: number, dims: number[]): Tensor => ({ type: 'int64', data: new BigInt64Array(length), dims });

  it.each<[string, Row, string]>([
    ['of another type', { int64_in: floatTensor(new Float32Array(4), [4]) }, `${INPUT} float32 4 of 4 values.`],
    ['of another shape', { int64_in: int64(6, [2, 3]) }, `${INPUT} int64 2×3 of 6 values.`],
    ['of another length', { int64_in: int64(5, [5]) }, `${INPUT} int64 5 of 5 values.`],
    ['of other values than its shape', { int64_in: int64(3, [4]) }, `${INPUT} int64 4 of 3 values.`],
    ['that lacks it', { ids: int64(4, [4]) }, `${INPUT} none.`],
  ])('is refused with types and shapes: one %s', async (_, row, message) => {
    expect(await refusal(row)).toMatchObject({ code: 'INTERNAL', message });
  });

  it('is described in words', () => {
    expect([shapeText('bool', []), shapeText('int64', ['N', 4])]).toEqual(['bool scalar', 'int64 N×4']);
  });
});

describe('the session pool', () => {
  let root: string;
  let repository: ModelRepository;
  let pool: SessionPool;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'adit-tensors-'));
    const models = { typed: typedGraph(['int64', 'bool'], ['N', 'length']), total: totalGraph(2) };
    for (const [name, graph] of Object.entries(models)) {
      await mkdir(join(root, name, '1'), { recursive: true });
      const manifest = { name, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', maxBatch: 8 };
      await writeFile(join(root, name, 'model.yaml'), dump(manifest));
      await writeFile(join(root, name, '1/model.onnx'), graph);
    }
    repository = await ModelRepository.open({ roots: [root] });
  });
  afterAll(async () => {
    await repository.close();
    await rm(root, { recursive: true, force: true });
  });

  const tokens = (type: TensorType, ...ids: number[]): Row => ({
    int64_in: { type, data: BigInt64Array.from(ids, BigInt), dims: [ids.length] } as Tensor,
    bool_in: { type: 'bool', data: Uint8Array.from(ids, (id) => id % 2), dims: [ids.length] },
  });

  it('batches rows of one shape and type, and lets one of another fail alone', async () => {
    const runs: number[] = [];
    pool = new SessionPool({ onnx: { threads: 1 }, maxBatch: 8, observer: { ran: (_, rows) => runs.push(rows) } });
    const { network, release } = await pool.acquire(repository.resolve('typed'));
    const given = [tokens('int64', 1, 2), tokens('int64', 3, 4, 5), tokens('int64', 6, 7), tokens('int32', 8, 9)];
    const answers = await Promise.allSettled(given.map((row) => network.run(row)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    answers.slice(0, 3).forEach((answer, i) => {
      const { int64_same: ids, bool_same: odd } = (answer as PromiseFulfilledResult<Row>).value;
      expect([ids, odd]).toEqual([given[i]!.int64_in, given[i]!.bool_in]);
    });
    expect(runs).toEqual([2, 1]);
    release();
    await pool.close();
  });

  it('gives no caller the answer of others when an output has no batch dimension', async () => {
    pool = new SessionPool({ onnx: { threads: 1 }, maxBatch: 8 });
    const { network, release } = await pool.acquire(repository.resolve('total'));
    const totals = [1, 2, 3].map((i) => network.run({ x: floatTensor(Float32Array.of(i, i), [2]) }));
    expect((await Promise.all(totals)).map(({ y }) => [...y!.data])).toEqual([[2], [4], [6]]);
    release();
    await pool.close();
  });
});
