/** For specs: an ONNX graph `y = x · factor + 1` over N×size floats, written by hand so that no weights are needed. */
export function linearGraph(size: number, factor: number, openBatch = true): Buffer {
  const dims = [openBatch ? 'N' : 1, size];
  return message([
    [1, 8], // ir_version
    [
      8,
      message([
        [1, ''],
        [2, 17],
      ]),
    ], // opset_import
    [
      7,
      message([
        [1, node('Mul', ['x', 'factor'], 'scaled')],
        [1, node('Add', ['scaled', 'one'], 'y')],
        [2, 'linear'],
        [5, scalar('factor', factor)],
        [5, scalar('one', 1)],
        [11, valueInfo('x', dims)],
        [12, valueInfo('y', dims)],
      ]),
    ],
  ]);
}

type Field = [number: number, value: number | string | Buffer];

/** Protobuf's wire format: whole numbers as varints, everything else length-delimited. */
function message(fields: Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
      const bytes = Buffer.from(value as string);
      return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
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
