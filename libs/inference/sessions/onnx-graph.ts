import type { InferenceSession } from 'onnxruntime-node';
import { HeldTensors } from './held-tensors.js';
import type { GraphSource } from '../graph/made-graph.js';
import { ortTensor, readTensor } from './ort-tensor.js';
import { timed, type OnRan } from './model-time.js';
import type { Tensor } from '../tensor.js';

/**
 * Disables the usage telemetry of ONNX Runtime's builds, since media must stay on premises. The library reads this
 * variable when it is loaded, in any thread; a thread's process.env is a copy, so it is set here, on the main thread.
 */
process.env.ORT_DISABLE_TELEMETRY = '1';
/** NVIDIA's libraries round float32 to 10 bits for speed by default; embeddings have to match those of a CPU. */
process.env.NVIDIA_TF32_OVERRIDE ??= '0';

/** A tensor with its name and batch dimension. */
export type GraphTensor = Tensor & { name: string };

/** A tensor that stays in the thread that made it until it is dropped. */
export interface HeldTensor {
  held: number;
  dims: readonly number[];
}
/** A held tensor as an input: all of it, or some rows of its first dimension, in any order and with repetition. */
export interface FedTensor extends HeldTensor {
  rows?: readonly number[];
}
/** Inputs and outputs of a step, with their batch dimension. */
export type StepFeed = GraphTensor | (FedTensor & { name: string });
export type StepOutput = GraphTensor | (HeldTensor & { name: string });

/** A run whose tensors may stay where they are made. */
export interface Step {
  feeds: StepFeed[];
  /** Outputs to return. */
  wanted: readonly string[];
  /** Outputs to keep. */
  keep: readonly string[];
}

/** A graph in ONNX Runtime, in any thread or process. */
export interface Graph {
  readonly inputs: readonly InferenceSession.ValueMetadata[];
  readonly outputs: readonly InferenceSession.ValueMetadata[];
  /** Runs the graph. The inputs are the caller's again afterwards. Text outputs are omitted. */
  run(feeds: GraphTensor[], onRan?: OnRan): Promise<GraphTensor[]>;
  /**
   * Runs one of several steps that build on each other, of this graph and others on the same host. Other outputs are
   * not computed.
   */
  step(step: Step, onRan?: OnRan): Promise<StepOutput[]>;
  release(): Promise<void>;
}

/** Place where graphs are loaded: this thread, or another one. */
export interface GraphHost {
  /** Throws VALIDATION where the graph has no such form. */
  load(source: GraphSource, options: InferenceSession.SessionOptions): Promise<Graph>;
  /** Releases tensors that steps have kept. */
  drop(held: readonly number[]): Promise<void>;
}

const held = new HeldTensors();

/** Runs graphs in this thread and blocks during each run: ONNX Runtime's binding for Node is synchronous. */
export const THIS_THREAD: GraphHost = {
  async load(source, options) {
    // Loaded on demand: a process that runs its models in threads needs the library only there.
    const { default: ort } = await import('onnxruntime-node');
    const model =
      typeof source === 'object' && 'form' in source
        ? await (await import('../graph/made-graph.js')).madeGraph(source)
        : source;
    const session = await (typeof model === 'string'
      ? ort.InferenceSession.create(model, options)
      : ort.InferenceSession.create(model, options));
    return {
      inputs: session.inputMetadata,
      outputs: session.outputMetadata,
      async run(inputs, onRan) {
        const feeds: Record<string, InstanceType<typeof ort.Tensor>> = {};
        for (const { name, type, data, dims } of inputs) feeds[name] = ortTensor(ort, type, unshared(data), dims);
        return Object.entries(await timed(onRan, () => session.run(feeds))).flatMap(([name, output]) => {
          const tensor = readTensor(output);
          return tensor === null ? [] : [{ ...tensor, name }];
        });
      },
      step: ({ feeds, ...step }, onRan) =>
        timed(onRan, () =>
          held.run(ort, session, {
            // A copy has the array type of its source.
            feeds: feeds.map((feed) =>
              'held' in feed ? feed : ({ ...feed, data: unshared(feed.data) } as GraphTensor),
            ),
            ...step,
          }),
        ),
      release: () => session.release(),
    };
  },
  drop: async (numbers) => held.drop(numbers),
};

/** ONNX Runtime accepts no shared memory. */
function unshared(data: Tensor['data']): Tensor['data'] {
  return data.buffer instanceof SharedArrayBuffer ? data.slice() : data;
}
