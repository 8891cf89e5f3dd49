/** Rows of `length` values as int8, each with a scale of its own, symmetric. */
export function inRows(values: Float32Array, length: number): { data: Int8Array; scales: Float32Array } {
  const data = new Int8Array(values.length);
  const scales = new Float32Array(values.length / length);
  for (let row = 0; row < scales.length; row += 1) {
    const from = row * length;
    let most = 0;
    for (let i = from; i < from + length; i += 1) most = Math.max(most, Math.abs(values[i] as number));
    const scale = most === 0 ? 1 : most / 127;
    scales[row] = scale;
    for (let i = from; i < from + length; i += 1) data[i] = Math.round((values[i] as number) / scale);
  }
  return { data, scales };
}

/** Blocks of values as MatMulNBits takes them: unsigned around 128, the value furthest out at 0 exactly. */
export function inBlocks(values: Float32Array, block: number): { data: Uint8Array; scales: Float32Array } {
  const data = new Uint8Array(values.length);
  const scales = new Float32Array(values.length / block);
  for (let at = 0; at < scales.length; at += 1) {
    const from = at * block;
    let far = 0;
    for (let i = from; i < from + block; i += 1) {
      if (Math.abs(values[i] as number) > Math.abs(far)) far = values[i] as number;
    }
    const scale = far === 0 ? 1 : far / -128;
    scales[at] = scale;
    for (let i = from; i < from + block; i += 1) {
      data[i] = Math.min(255, Math.max(0, Math.round((values[i] as number) / scale) + 128));
    }
  }
  return { data, scales };
}

/** rows×columns as columns×rows. */
export function transposedBytes(data: Int8Array, rows: number, columns: number): Int8Array {
  const out = new Int8Array(data.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1)
      out[column * rows + row] = data[row * columns + column] as number;
  }
  return out;
}
