import { readFile } from 'node:fs/promises';
import onnxProto, { type onnx } from 'onnx-proto';
import { conversionError } from './tensor.js';

/**
 * Silero's voice detector, which takes 32 ms of sound and the state that those before left, as a network that takes all of them
 * at once: `frames` T×N×576 and `before` 2×N×128 give `likely` T×N×1 and `after`. Its numbers stay what they are.
 * @throws AditError when the file is no such network.
 */
export async function convertSilero(path: string): Promise<Uint8Array> {
  const model = onnxProto.onnx.ModelProto.decode(await readFile(path));
  const body = model.graph;
  if (!body) throw conversionError(`${path} holds no graph`);
  const named = (values: onnx.IValueInfoProto[] | null | undefined, name: string): onnx.IValueInfoProto => {
    const value = values?.find((candidate) => candidate.name === name);
    if (!value) throw conversionError(`${path} has no ${name}`);
    return value;
  };
  const [sound, state] = [named(body.input, 'input'), named(body.input, 'state')];
  const [likely, next] = [named(body.output, 'output'), named(body.output, 'stateN')];
  const rate: onnx.ITensorProto = {
    name: 'sr',
    dims: [],
    dataType: INT64,
    rawData: new Uint8Array(BigInt64Array.of(16_000n).buffer),
  };
  // A scan's states come first, in and out.
  body.input = [state, sound];
  body.output = [next, likely];
  body.initializer = [...(body.initializer ?? []), rate];
  const frames = valueInfo('frames', [STEPS, BATCH, 576]);
  const before = valueInfo('before', [2, BATCH, 128]);
  model.graph = {
    name: 'silero_vad',
    node: [
      {
        opType: 'Scan',
        name: 'frames',
        input: ['before', 'frames'],
        output: ['after', 'likely'],
        attribute: [
          { name: 'body', type: ATTRIBUTE.graph, g: body },
          { name: 'num_scan_inputs', type: ATTRIBUTE.int, i: 1 },
        ],
      },
    ],
    input: [frames, before],
    output: [valueInfo('likely', [STEPS, BATCH, 1]), valueInfo('after', [2, BATCH, 128])],
  };
  return onnxProto.onnx.ModelProto.encode(model).finish();
}

const FLOAT = 1;
const INT64 = 7;
const ATTRIBUTE = { int: 2, graph: 5 } as const;
const STEPS = 'T';
const BATCH = 'N';

function valueInfo(name: string, dims: readonly (number | string)[]): onnx.IValueInfoProto {
  const dim = dims.map((size) => (typeof size === 'string' ? { dimParam: size } : { dimValue: size }));
  return { name, type: { tensorType: { elemType: FLOAT, shape: { dim } } } };
}
