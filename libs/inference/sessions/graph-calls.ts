import { AditError } from '@adit/contracts';
import type { GraphSource } from '../graph/made-graph.js';
import type { OnRan } from './model-time.js';
import type { Graph, GraphHost, GraphTensor, Step, StepFeed, StepOutput } from './onnx-graph.js';

/** Answer of `onnx-worker.js` to a call. */
export interface GraphAnswer {
  call: number;
  value?: unknown;
  /** Seconds that a run or step took there. */
  seconds?: number;
  error?: string;
  /** The graph has no such form, on any provider. */
  isRefused?: boolean;
}

/** Request to `onnx-worker.js`, exactly one of these. */
export interface GraphRequest {
  load?: { model: GraphSource; options: object };
  /** Number of a session, for a run or a step of `feeds`. */
  run?: number;
  step?: number;
  feeds?: StepFeed[];
  wanted?: readonly string[];
  keep?: readonly string[];
  drop?: readonly number[];
  release?: number;
  close?: true;
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  onRan: OnRan | undefined;
}

type Metadata = Pick<Graph, 'inputs' | 'outputs'>;

/**
 * Graphs that are loaded and run by `onnx-worker.js` in a thread or process. Once that has ended, pending and later
 * calls fail, since its sessions are gone.
 */
export abstract class GraphCalls implements GraphHost {
  private gone: AditError | null = null;
  private calls = 0;
  private readonly waiting = new Map<number, Waiting>();

  /** `onLost` is called when it ends without having been closed. */
  constructor(private readonly onLost: () => void) {}

  /** Sends a message, starting the worker if necessary. Buffers in `transfer` may be moved instead of copied. */
  protected abstract send(message: GraphRequest & { call: number }, transfer: ArrayBuffer[]): void;

  /** Returns tensor data for `send` that leaves the caller's own data intact. */
  protected abstract sendable(data: GraphTensor['data']): GraphTensor['data'];

  /** Keeps the process alive while answers are pending. */
  protected abstract hold(isWaiting: boolean): void;

  async load(model: GraphSource, options: object): Promise<Graph> {
    const session = this.calls + 1;
    // Trusts the declared type of onnx-worker.js, since both ends are of one build.
    const { inputs, outputs } = (await this.call({ load: { model, options } })) as Metadata;
    return {
      inputs,
      outputs,
      run: (feeds, onRan) => this.run(session, feeds, onRan),
      step: (step, onRan) => this.step(session, step, onRan),
      release: async () => {
        try {
          await this.call({ release: session });
        } catch (error) {
          // Sessions of an ended thread or process need no release.
          if (!this.isLost) throw error;
        }
      },
    };
  }

  async drop(held: readonly number[]): Promise<void> {
    // Tensors of an ended thread or process are gone with it.
    if (!this.isLost) await this.call({ drop: held });
  }

  protected get isLost(): boolean {
    return this.gone !== null;
  }

  protected call(request: GraphRequest, transfer: ArrayBuffer[] = [], onRan?: OnRan): Promise<unknown> {
    if (this.gone) return Promise.reject(this.gone);
    const call = ++this.calls;
    return new Promise((resolve, reject) => {
      this.send({ call, ...request }, transfer);
      this.waiting.set(call, { resolve, reject, onRan });
      // Only unanswered calls keep the process alive.
      this.hold(true);
    });
  }

  protected answered({ call, value, seconds, error, isRefused }: GraphAnswer): void {
    const waiting = this.waiting.get(call);
    this.waiting.delete(call);
    if (this.waiting.size === 0) this.hold(false);
    if (seconds !== undefined) waiting?.onRan?.(seconds);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(isRefused === true ? new AditError('VALIDATION', error) : this.failed(error));
  }

  /** Wraps an error of ONNX Runtime. */
  protected failed(reason: string): Error {
    return new Error(reason);
  }

  protected lose(error: AditError): void {
    if (this.gone) return;
    this.gone = error;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(error);
    this.onLost();
  }

  private run(session: number, feeds: GraphTensor[], onRan?: OnRan): Promise<GraphTensor[]> {
    // A tensor's data under its own type.
    const sent = feeds.map((tensor) => ({ ...tensor, data: this.sendable(tensor.data) }) as GraphTensor);
    const own = sent.map(({ data }) => data.buffer).filter((buffer) => buffer instanceof ArrayBuffer);
    // Answer type of `run`.
    return this.call({ run: session, feeds: sent }, own, onRan) as Promise<GraphTensor[]>;
  }

  private step(session: number, { feeds, ...step }: Step, onRan?: OnRan): Promise<StepOutput[]> {
    const sent = feeds.map((feed) =>
      // Same cast as in `run`.
      'held' in feed ? feed : ({ ...feed, data: this.sendable(feed.data) } as GraphTensor),
    );
    const own = sent.flatMap((feed) =>
      'data' in feed && feed.data.buffer instanceof ArrayBuffer ? [feed.data.buffer] : [],
    );
    // Answer type of `step`.
    return this.call({ step: session, feeds: sent, ...step }, own, onRan) as Promise<StepOutput[]>;
  }
}
