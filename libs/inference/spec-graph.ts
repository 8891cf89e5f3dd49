import { message, type Field } from './protobuf.js';

/** For specs: an ONNX graph `y = x · factor + 1` over N×size floats, written by hand so that no weights are needed. */
export function linearGraph(size: number, factor: number, openBatch = true): Buffer {
  const dims = [openBatch ? 'N' : 1, size];
  return model([
    [1, node('Mul', ['x', 'factor'], 'scaled')],
    [1, node('Add', ['scaled', 'one'], 'y')],
    [2, 'linear'],
    [5, scalar('factor', factor)],
    [5, scalar('one', 1)],
    [11, valueInfo('x', dims)],
    [12, valueInfo('y', dims)],
  ]);
}

/** For specs: an ONNX graph that answers in `y` what it is given in `x`. */
export function echoGraph(dims: (number | string)[], opset = 17): Buffer {
  const graph: Field[] = [
    [1, node('Identity', ['x'], 'y')],
    [2, 'echo'],
    [11, valueInfo('x', dims)],
    [12, valueInfo('y', dims)],
  ];
  return model(graph, opset);
}

/** For specs: an ONNX graph that answers in `y` (N×3×1×1) the mean of each channel of a picture `x`, N×3×side×side. */
export function meanColourGraph(side: number): Buffer {
  return model([
    [1, node('GlobalAveragePool', ['x'], 'y')],
    [2, 'mean-colour'],
    [11, valueInfo('x', ['N', 3, side, side])],
    [12, valueInfo('y', ['N', 3, 1, 1])],
  ]);
}

function model(graph: Field[], opset = 17): Buffer {
  const standard = message([
    [1, ''],
    [2, opset],
  ]);
  // ir_version, opset_import, graph
  return message([
    [1, 8],
    [8, standard],
    [7, message(graph)],
  ]);
}

function node(operator: string, inputs: string[], output: string): Buffer {
  return message([...inputs.map((input): Field => [1, input]), [2, output], [4, operator]]);
}

function scalar(name: string, value: number): Buffer {
  const raw = Buffer.alloc(4);
  raw.writeFloatLE(value);
  return message([
    [2, 1],
    [8, name],
    [9, raw],
  ]);
}

function valueInfo(name: string, dims: (number | string)[]): Buffer {
  const shape = message(dims.map((dim): Field => [1, message([typeof dim === 'number' ? [1, dim] : [2, dim]])]));
  return message([
    [1, name],
    [
      2,
      message([
        [
          1,
          message([
            [1, 1],
            [2, shape],
          ]),
        ],
      ]),
    ],
  ]);
}
