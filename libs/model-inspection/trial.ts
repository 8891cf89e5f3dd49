import type { GraphValue } from '@adit/inference/families';
import { THIS_THREAD, type Graph, type GraphTensor } from '@adit/inference/onnx-graph';
import { floatsOf, type Tensor } from '@adit/inference/tensor';
import { refused, shown, type OnnxOutline } from './onnx-outline.js';
import type { Proposal } from './propose.js';

/** An open axis that is neither the batch nor a side of the picture, as the length of a text. */
const OPEN_AXIS = 1;
/** Numbers of one input; a picture of 4096 × 4096 has 50 million. */
const MOST_NUMBERS = 64 * 1024 * 1024;

export interface Trial {
  loadSeconds: number;
  /** Of the second run: the first one also allocates. */
  runSeconds: number;
  outputs: { name: string; type: string; dims: readonly number[] }[];
}

/**
 * Loads a graph in this thread and runs it twice on noise of one picture, on one core. Throws VALIDATION with ONNX Runtime's
 * reason when it can't be loaded or run, and when it answers NaN. May take as long and as much memory as the graph likes:
 * call it in a process that is held to both.
 */
export async function tryGraph(path: string, outline: OnnxOutline, proposal: Proposal): Promise<Trial> {
  const feeds = outline.inputs.map((input) => noise(input, proposal));
  const started = performance.now();
  const graph = await reasoned('cannot be loaded', () =>
    THIS_THREAD.load(path, {
      executionProviders: ['cpu'],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    }),
  );
  try {
    const loaded = performance.now();
    await run(graph, feeds);
    const warm = performance.now();
    const outputs = await run(graph, feeds);
    const ended = performance.now();
    for (const output of outputs) refuseNaN(output);
    return {
      loadSeconds: (loaded - started) / 1000,
      runSeconds: (ended - warm) / 1000,
      outputs: outputs.map(({ name, type, dims }) => ({ name, type, dims })),
    };
  } finally {
    await graph.release();
  }
}

function run(graph: Graph, feeds: GraphTensor[]): Promise<GraphTensor[]> {
  return reasoned('does not run', () => graph.run(feeds));
}

async function reasoned<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refused(`It ${what} by ONNX Runtime: ${reason.replace(/\s+/g, ' ').slice(0, 500)}`);
  }
}

function refuseNaN(output: GraphTensor): void {
  const { values = null } = floatsOf({ values: output });
  if (values?.data.some(Number.isNaN)) throw refused(`Its output ${shown(output.name)} is NaN for a picture of noise.`);
}

function noise(input: GraphValue, { input: picture }: Proposal): GraphTensor {
  const sides = picture?.tensor === input.name ? picture : null;
  const axes = input.axes ?? [];
  const first = sides?.isBatched === false ? 0 : 1;
  const [height, width, colours] =
    sides?.layout === 'nhwc' ? [first, first + 1, first + 2] : [first + 1, first + 2, first];
  const dims = axes.map((axis, index) => {
    if (typeof axis === 'number') return axis;
    if (sides !== null && index === height) return sides.height ?? TRIED_SIDE;
    if (sides !== null && index === width) return sides.width ?? TRIED_SIDE;
    if (sides !== null && index === colours) return sides.colour === 'grey' ? 1 : 3;
    return OPEN_AXIS;
  });
  const count = dims.reduce((product, axis) => product * axis, 1);
  if (count > MOST_NUMBERS) {
    throw refused(`Its input ${shown(input.name)} takes ${count} numbers; at most ${MOST_NUMBERS} can be given.`);
  }
  return { name: input.name, ...filled(input, dims, count) };
}

/** A side of the picture where neither graph nor exporter says one: a multiple of every usual stride. */
const TRIED_SIDE = 320;

/** The same noise every time, within 0..1: what is finite for such a picture is so for others. */
function filled({ name, type }: GraphValue, dims: number[], count: number): Tensor {
  let state = 1;
  const next = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  switch (type) {
    case 'float32':
      return { type, dims, data: Float32Array.from({ length: count }, next) };
    case 'float16':
      // The bits of 0.5 to 1.
      return { type, dims, data: Uint16Array.from({ length: count }, () => 0x3800 + Math.floor(next() * 0x400)) };
    case 'uint8':
      return { type, dims, data: Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) };
    case 'bool':
      return { type, dims, data: new Uint8Array(count).fill(1) };
    case 'int32':
      return { type, dims, data: new Int32Array(count).fill(1) };
    case 'int64':
      return { type, dims, data: new BigInt64Array(count).fill(1n) };
    default:
      throw refused(
        `Its input ${shown(name)} takes ${type ?? 'no tensor'}; supported are float32, float16, uint8, bool, int32 and int64.`,
      );
  }
}
