import {
  pictureInputs,
  sideParts,
  type ExporterHints,
  type GraphValue,
  type PictureInput,
} from '@adit/inference/families';
import { THIS_THREAD, type Graph, type GraphTensor } from '@adit/inference/onnx-graph';
import { sideTensor } from '@adit/inference/side-parts';
import { floatsOf, type FloatTensor, type Tensor } from '@adit/inference/tensor';
import type { OnnxOutline } from './onnx-outline.js';
import { refused, shown } from './refusal.js';
import type { Shown } from './propose.js';

/** Length of an open axis that is neither the batch nor a side of the picture, such as a text's length. */
const OPEN_AXIS = 1;
/** Limit of numbers in one input; a picture of 4096 × 4096 has 50 million. */
const MAX_NUMBERS = 64 * 1024 * 1024;
/** Side of the picture where neither graph nor exporter states one: a multiple of every usual stride. */
const TRIED_SIDE = 320;

export interface Trial {
  loadSeconds: number;
  /** Duration of the second run, since the first one also allocates. */
  runSeconds: number;
  outputs: { name: string; type: string; dims: readonly number[] }[];
}

/**
 * Loads a graph in this thread and runs it on two meaningless pictures, on one core. Throws VALIDATION with ONNX
 * Runtime's reason when it cannot be loaded or run, and when it answers NaN. Time and memory are unlimited: call it in
 * a process with limits.
 */
export async function tryGraph(
  path: string,
  outline: OnnxOutline,
  hints: ExporterHints,
): Promise<{ trial: Trial; shown: Shown }> {
  const started = performance.now();
  const graph = await loadGraph(path);
  try {
    const loaded = performance.now();
    const { picture, size, outputs: first } = await firstRun(graph, outline, hints);
    const feeds = feedsOf(outline, { picture, size, which: 'waves' });
    const warm = performance.now();
    const outputs = await run(graph, feeds);
    const ended = performance.now();
    const answers = [first, outputs].map((each) => answerOf(each, picture));
    return {
      trial: {
        loadSeconds: (loaded - started) / 1000,
        runSeconds: (ended - warm) / 1000,
        outputs: outputs.map(({ name, type, dims }) => ({ name, type, dims })),
      },
      shown: {
        picture,
        tried: picture === null ? null : { ...size, answers },
        dims: new Map(outputs.map(({ name, dims }) => [name, dims])),
      },
    };
  } finally {
    await graph.release();
  }
}

/** Loads a graph unchanged for one core. Throws VALIDATION with ONNX Runtime's reason. */
export function loadGraph(path: string): Promise<Graph> {
  return reasoned('cannot be loaded', () =>
    THIS_THREAD.load(path, {
      executionProviders: ['cpu'],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    }),
  );
}

/** Tries each possible layout of the picture until one runs. */
async function firstRun(
  graph: Graph,
  outline: OnnxOutline,
  hints: ExporterHints,
): Promise<{ picture: PictureInput | null; size: Size; outputs: GraphTensor[] }> {
  const candidates: (PictureInput | null)[] = pictureInputs(outline);
  if (candidates.length === 0) candidates.push(null);
  let wrong: unknown;
  for (const picture of candidates) {
    const size = {
      width: picture?.width ?? hints.width ?? TRIED_SIDE,
      height: picture?.height ?? hints.height ?? TRIED_SIDE,
    };
    const feeds = feedsOf(outline, { picture, size, which: 'noise' });
    try {
      return { picture, size, outputs: await run(graph, feeds) };
    } catch (error) {
      wrong ??= error;
    }
  }
  throw wrong;
}

/** Runs a graph. Throws VALIDATION with ONNX Runtime's reason, and for NaN. */
async function run(graph: Graph, feeds: GraphTensor[]): Promise<GraphTensor[]> {
  const outputs = await reasoned('does not run', () => graph.run(feeds));
  for (const output of outputs) refuseNaN(output);
  return outputs;
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

/** Returns an answer as a job reads it: by name, as floats, without the batch where there is one. */
export function answerOf(
  outputs: readonly GraphTensor[],
  picture: Pick<PictureInput, 'isBatched'> | null,
): Record<string, FloatTensor> {
  const floats = floatsOf(Object.fromEntries(outputs.map((output): [string, Tensor] => [output.name, output])));
  if (picture?.isBatched === false) return floats;
  return Object.fromEntries(
    Object.entries(floats).map(([name, output]) => [name, { ...output, dims: output.dims.slice(1) }]),
  );
}

type Size = { width: number; height: number };
/** Content of a trial picture: meaningless noise, or slow changes of brightness. */
type Pattern = 'noise' | 'waves';

function feedsOf(
  outline: OnnxOutline,
  { picture, size, which }: { picture: PictureInput | null; size: Size; which: Pattern },
): GraphTensor[] {
  const parts = picture === null ? {} : sideParts(outline, picture);
  return outline.inputs.map((input) => {
    const part = parts[input.name];
    if (part === undefined) return filled(input, picture, size, which);
    const dims = (input.axes ?? []).map((axis, at) => (typeof axis === 'string' && at === 0 ? 1 : axis));
    return { name: input.name, ...sideTensor(part, { name: input.name, type: input.type ?? '', dims }, size) };
  });
}

function filled(input: GraphValue, picture: PictureInput | null, size: Size, which: Pattern): GraphTensor {
  const sides = picture?.value.name === input.name ? picture : null;
  const axes = input.axes ?? [];
  const first = sides?.isBatched === false ? 0 : 1;
  const [height, width, colours] =
    sides?.layout === 'nhwc' ? [first, first + 1, first + 2] : [first + 1, first + 2, first];
  const dims = axes.map((axis, index) => {
    if (typeof axis === 'number') return axis;
    if (sides !== null && index === height) return size.height;
    if (sides !== null && index === width) return size.width;
    if (sides !== null && index === colours) return sides.channels;
    return OPEN_AXIS;
  });
  const count = dims.reduce((product, axis) => product * axis, 1);
  if (count > MAX_NUMBERS) {
    throw refused(`Its input ${shown(input.name)} takes ${count} numbers; at most ${MAX_NUMBERS} can be given.`);
  }
  return { name: input.name, ...valuesOf(input, dims, count, which) };
}

/** Deterministic numbers within 0..1: an answer that is finite for them is so for others. */
function valuesOf({ name, type }: GraphValue, dims: number[], count: number, which: Pattern): Tensor {
  let state = 1;
  const noise = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  const next = which === 'noise' ? noise : (): number => 0.5 + 0.5 * Math.sin(state++ / 97);
  switch (type) {
    case 'float32':
      return { type, dims, data: Float32Array.from({ length: count }, next) };
    case 'float16':
      // Bit patterns of 0.5 to 1.
      return { type, dims, data: Uint16Array.from({ length: count }, () => 0x3800 + Math.floor(next() * 0x3ff)) };
    case 'uint8':
      return { type, dims, data: Uint8Array.from({ length: count }, () => Math.floor(next() * 255)) };
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
