import type { InferenceSession } from 'onnxruntime-node';
import { HeldTensors } from './held-tensors.js';
import type { GraphSource } from '../graph/made-graph.js';
import { ortTensor, readTensor } from './ort-tensor.js';
import type { Tensor } from '../tensor.js';

/**
 * ONNX Runtime's own builds carry usage telemetry, which has no place where media stays at home. The library reads this
 * when it is loaded, in whatever thread; a thread's process.env is a copy, so it has to be said here, on the main one.
 */
process.env.ORT_DISABLE_TELEMETRY = '1';
/** NVIDIA's libraries round float32 to 10 bits for speed unless told not to; embeddings are compared with those of a CPU. */
process.env.NVIDIA_TF32_OVERRIDE ??= '0';

/** A tensor with its name and batch dimension. */
export type GraphTensor = Tensor & { name: string };

/** A tensor that stayed in the thread that made it, until it is dropped. */
export interface HeldTensor {
  held: number;
  dims: readonly number[];
}
/** A held tensor as an input: all of it, or some rows of its first dimension, in any order and as often as named. */
export interface FedTensor extends HeldTensor {
  rows?: readonly number[];
}
/** Inputs and outputs of a step, with their batch dimension. */
export type StepFeed = GraphTensor | (FedTensor & { name: string });
export type StepOutput = GraphTensor | (HeldTensor & { name: string });

/** A run whose tensors may stay where it is made. */
export interface Step {
  feeds: StepFeed[];
  /** Outputs that are answered. */
  wanted: readonly string[];
  /** Outputs that stay. */
  keep: readonly string[];
}

/** A graph in ONNX Runtime, wherever that runs. */
export interface Graph {
  readonly inputs: readonly InferenceSession.ValueMetadata[];
  readonly outputs: readonly InferenceSession.ValueMetadata[];
  /** The inputs are the caller's again once the run has ended. Outputs that hold text are left out. */
  run(feeds: GraphTensor[]): Promise<GraphTensor[]>;
  /** One of several runs that build on each other, of this graph and others on the same host. Other outputs are not made. */
  step(step: Step): Promise<StepOutput[]>;
  release(): Promise<void>;
}

/** Where graphs are loaded: this thread, or one of their own. */
export interface GraphHost {
  /** Throws VALIDATION where the graph has no form that is asked for. */
  load(source: GraphSource, options: InferenceSession.SessionOptions): Promise<Graph>;
  /** Lets go of tensors that steps have kept. */
  drop(held: readonly number[]): Promise<void>;
}

const held = new HeldTensors();

/** Runs graphs in this thread, which waits for each run: ONNX Runtime's binding for Node is synchronous. */
export const THIS_THREAD: GraphHost = {
  async load(source, options) {
    // Loaded on demand: a process that runs its models in threads needs the library there only.
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
      async run(inputs) {
        const feeds: Record<string, InstanceType<typeof ort.Tensor>> = {};
        for (const { name, type, data, dims } of inputs) feeds[name] = ortTensor(ort, type, unshared(data), dims);
        return Object.entries(await session.run(feeds)).flatMap(([name, output]) => {
          const tensor = readTensor(output);
          return tensor === null ? [] : [{ ...tensor, name }];
        });
      },
      step: ({ feeds, ...step }) =>
        held.run(ort, session, {
          // A copy has the type of array of what it copies.
          feeds: feeds.map((feed) => ('held' in feed ? feed : ({ ...feed, data: unshared(feed.data) } as GraphTensor))),
          ...step,
        }),
      release: () => session.release(),
    };
  },
  drop: async (numbers) => held.drop(numbers),
};

/** ONNX Runtime takes no shared memory. */
function unshared(data: Tensor['data']): Tensor['data'] {
  return data.buffer instanceof SharedArrayBuffer ? data.slice() : data;
}
