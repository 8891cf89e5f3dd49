/** @needs weights */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OnnxSession } from './onnx-session.js';
import { OnnxThread } from './onnx-thread.js';
import { linearGraph } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

const ONE_THREAD = { providers: ['cpu' as const], threads: 1 };
let folder: string;
let graph: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-thread-'));
  graph = join(folder, 'model.onnx');
  await writeFile(graph, linearGraph(2, 3));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const row = (data: Float32Array) => ({ x: floatTensor(data, [2]) });

describe('OnnxThread', () => {
  it('answers as this thread does, from memory of every kind, and leaves the inputs unchanged', async () => {
    const thread = new OnnxThread();
    const [there, here] = [
      await OnnxSession.load(graph, ONE_THREAD, thread),
      await OnnxSession.load(graph, ONE_THREAD),
    ];
    const shared = new Float32Array(new SharedArrayBuffer(8));
    shared.set([5, -1]);
    for (const data of [Float32Array.of(1, 2), Float32Array.of(0, 7, 8, 0).subarray(1, 3), shared]) {
      const before = [...data];
      const [[a], [b]] = [await there.run([row(data)]), await here.run([row(data)])];
      expect([...a!.y!.data]).toEqual([...b!.y!.data]);
      expect(a!.y!.dims).toEqual([2]);
      expect([...data]).toEqual(before);
    }
    expect([there.inputs, there.outputs]).toEqual([here.inputs, here.outputs]);
    await Promise.all([there.release(), here.release(), thread.close()]);
  });

  it('keeps concurrent rows apart', async () => {
    const thread = new OnnxThread();
    const session = await OnnxSession.load(graph, ONE_THREAD, thread);
    const shared = Array.from({ length: 200 }, (_, i) => new Float32Array(new SharedArrayBuffer(8)).fill(i));
    const answers = await Promise.all(shared.map((data) => session.run([row(data)])));
    expect(answers.map(([out]) => out!.y!.data[0])).toEqual(shared.map((_, i) => 3 * i + 1));
    await thread.close();
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('runs behind this thread and behind ffmpeg', async () => {
    const before = await niceness();
    const thread = new OnnxThread();
    await OnnxSession.load(graph, ONE_THREAD, thread);
    const during = await niceness();
    await thread.close();
    const own = during.get(process.pid);
    expect(own).toBe(before.get(process.pid));
    const started = [...during].filter(([tid]) => !before.has(tid)).map(([, nice]) => nice);
    expect(started.filter((nice) => nice !== own)).toEqual([Math.min(19, own! + 8)]);
  });

  it('fails with the reason of ONNX Runtime, and continues', async () => {
    const thread = new OnnxThread();
    await expect(OnnxSession.load(join(folder, 'none.onnx'), ONE_THREAD, thread)).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringMatching(/none\.onnx/),
    });
    const session = await OnnxSession.load(graph, ONE_THREAD, thread);
    const wrong = { x: floatTensor(Float32Array.of(1, 2, 3), [2]) };
    await expect(session.run([wrong])).rejects.toThrow();
    expect((await session.run([row(Float32Array.of(1, 1))]))[0]!.y!.data[0]).toBe(4);
    await thread.close();
  });

  it('fails pending calls when it dies, and reports it', async () => {
    let lost = 0;
    const thread = new OnnxThread(() => lost++);
    const session = await OnnxSession.load(graph, ONE_THREAD, thread);
    await crash(thread);
    await expect(session.run([row(Float32Array.of(1, 1))])).rejects.toMatchObject({ code: 'INTERNAL' });
    await session.release();
    await thread.close();
    expect(lost).toBe(1);
  });
});

/** A message that the thread cannot read ends it. */
async function crash(thread: OnnxThread): Promise<void> {
  const { worker } = thread as unknown as { worker: { postMessage(message: null): void; once: NodeOn } };
  const exit = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.postMessage(null);
  await exit;
}
type NodeOn = (event: string, listener: () => void) => void;

/** Niceness of each thread of this process, by thread id. */
async function niceness(): Promise<Map<number, number>> {
  const threads = (await readdir('/proc/self/task')).map(async (tid): Promise<[number, number]> => {
    const stat = await readFile(`/proc/self/task/${tid}/stat`, 'utf8');
    // Field 19 of the whole line, counted behind the name in brackets.
    return [Number(tid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])];
  });
  return new Map(await Promise.all(threads));
}
