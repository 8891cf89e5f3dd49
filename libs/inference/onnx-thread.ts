import { Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';
import type { Graph, GraphHost, GraphTensor, Step, StepOutput } from './onnx-graph.js';

interface Answer {
  call: number;
  value?: unknown;
  error?: string;
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

const LONGEST_CALL_MS = 10_000;

type Metadata = Pick<Graph, 'inputs' | 'outputs'>;

/**
 * ONNX Runtime in a thread of its own, started by the first load. When the thread dies, everything that waits for it
 * fails with INTERNAL and so does every later call: its sessions are gone.
 */
export class OnnxThread implements GraphHost {
  private worker: Worker | null = null;
  private lost: AditError | null = null;
  private calls = 0;
  private readonly waiting = new Map<number, Waiting>();
  /** Shared with the thread: [a call is being served, none may start any more]. */
  private readonly state = new Int32Array(new SharedArrayBuffer(8));

  /** `onLost` is told when the thread ends without having been closed. */
  constructor(private readonly onLost: () => void = () => undefined) {}

  async load(model: string | Uint8Array, options: object): Promise<Graph> {
    const session = this.calls + 1;
    // The thread answers what onnx-worker.js says it does: both ends of the port are of one build.
    const { inputs, outputs } = (await this.call({ load: { model, options } })) as Metadata;
    return {
      inputs,
      outputs,
      run: (feeds) => this.run(session, feeds),
      step: (step) => this.step(session, step),
      release: async () => {
        try {
          await this.call({ release: session });
        } catch (error) {
          // What was in a thread that is gone needs no release.
          if (!this.lost) throw error;
        }
      },
    };
  }

  /** Releases every session and ends the thread. */
  async close(): Promise<void> {
    const { worker } = this;
    if (!worker || this.lost) return;
    await this.call({ close: true }).catch(() => undefined);
    await worker.terminate();
  }

  async drop(held: readonly number[]): Promise<void> {
    // What was in a thread that is gone is gone with it.
    if (!this.lost) await this.call({ drop: held });
  }

  private run(session: number, feeds: GraphTensor[]): Promise<GraphTensor[]> {
    const sent = feeds.map((tensor) => ({ ...tensor, data: sendable(tensor.data) }));
    const own = sent.map(({ data }) => data.buffer).filter((buffer) => buffer instanceof ArrayBuffer);
    // What the thread answers to `run`.
    return this.call({ run: { session, feeds: sent } }, own) as Promise<GraphTensor[]>;
  }

  private step(session: number, { feeds, ...step }: Step): Promise<StepOutput[]> {
    const sent = feeds.map((feed) => ('held' in feed ? feed : { ...feed, data: sendable(feed.data) }));
    const own = sent.flatMap((feed) =>
      'data' in feed && feed.data.buffer instanceof ArrayBuffer ? [feed.data.buffer] : [],
    );
    // What the thread answers to `step`.
    return this.call({ step: { session, feeds: sent, ...step } }, own) as Promise<StepOutput[]>;
  }

  private call(request: object, transfer: ArrayBuffer[] = []): Promise<unknown> {
    if (this.lost) return Promise.reject(this.lost);
    this.worker ??= this.start();
    const { worker } = this;
    const call = ++this.calls;
    return new Promise((resolve, reject) => {
      worker.postMessage({ call, ...request }, transfer);
      this.waiting.set(call, { resolve, reject });
      // Only unanswered calls keep the process alive.
      worker.ref();
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL('./onnx-worker.js', import.meta.url), {
      name: 'onnx',
      workerData: { state: this.state },
      // The options of this process (a test runner's module loader, --inspect) are not for the worker.
      execArgv: [],
    });
    worker.on('message', ({ call, value, error }: Answer) => {
      const waiting = this.waiting.get(call);
      this.waiting.delete(call);
      if (this.waiting.size === 0) worker.unref();
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    });
    process.once('exit', this.finish);
    worker.once('error', (error) => this.lose(error.message));
    worker.once('exit', (code) => this.lose(`it ended with code ${code}`));
    return worker;
  }

  /** ONNX Runtime aborts the process when Node ends its thread during a call, so an exit lets the present one finish. */
  private readonly finish = (): void => {
    Atomics.store(this.state, 1, 1);
    if (!this.lost) Atomics.wait(this.state, 0, 1, LONGEST_CALL_MS);
  };

  private lose(why: string): void {
    process.off('exit', this.finish);
    if (this.lost) return;
    this.lost = new AditError('INTERNAL', `The thread that runs the models is gone: ${why}. Try again.`);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(this.lost);
    this.onLost();
  }
}

/** Shared memory passes as it is; of everything else the thread gets a copy, so that the caller keeps its own. */
function sendable(data: GraphTensor['data']): GraphTensor['data'] {
  return data.buffer instanceof SharedArrayBuffer ? data : data.slice();
}
