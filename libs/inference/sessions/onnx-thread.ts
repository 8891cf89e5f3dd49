import { Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';
import { GraphCalls, type GraphAnswer, type GraphRequest } from './graph-calls.js';
import type { GraphTensor } from './onnx-graph.js';

const MAX_CALL_MS = 10_000;

/**
 * ONNX Runtime in a worker thread, started by the first load. When the thread dies, pending calls fail with INTERNAL
 * and so does every later one, since its sessions are gone.
 */
export class OnnxThread extends GraphCalls {
  private worker: Worker | null = null;
  /** Shared with the thread: [a call is being served, none may start any more]. */
  private readonly state = new Int32Array(new SharedArrayBuffer(8));

  /** `onLost` is called when the thread ends without having been closed. */
  constructor(onLost: () => void = () => undefined) {
    super(onLost);
  }

  /** Releases every session and ends the thread. */
  async close(): Promise<void> {
    const { worker } = this;
    if (!worker || this.isLost) return;
    await this.call({ close: true }).catch(() => undefined);
    await worker.terminate();
  }

  protected send(message: GraphRequest, transfer: ArrayBuffer[]): void {
    this.worker ??= this.start();
    this.worker.postMessage(message, transfer);
  }

  /** Shared memory is passed directly; of everything else a copy is transferred. */
  protected sendable(data: GraphTensor['data']): GraphTensor['data'] {
    return data.buffer instanceof SharedArrayBuffer ? data : data.slice();
  }

  protected hold(isWaiting: boolean): void {
    if (isWaiting) this.worker?.ref();
    else this.worker?.unref();
  }

  private start(): Worker {
    const worker = new Worker(new URL('./onnx-worker.js', import.meta.url), {
      name: 'onnx',
      workerData: { state: this.state },
      // The options of this process (a test runner's module loader, --inspect) are not for the worker.
      execArgv: [],
    });
    worker.on('message', (answer: GraphAnswer) => this.answered(answer));
    process.once('exit', this.finish);
    worker.once('error', (error) => this.ended(error.message));
    worker.once('exit', (code) => this.ended(`it ended with code ${code}`));
    return worker;
  }

  /** ONNX Runtime aborts the process when Node ends its thread during a call, so an exit waits for the current one. */
  private readonly finish = (): void => {
    Atomics.store(this.state, 1, 1);
    if (!this.isLost) Atomics.wait(this.state, 0, 1, MAX_CALL_MS);
  };

  private ended(why: string): void {
    process.off('exit', this.finish);
    this.lose(new AditError('INTERNAL', `The thread that runs the models is gone: ${why}. Try again.`));
  }
}
