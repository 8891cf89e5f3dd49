/** PyTorch lays the gates out as input, forget, cell, output; ONNX as input, output, forget, cell. */
export function inOnnxOrder(gates: Float32Array): Float32Array {
  const part = gates.length / 4;
  const ordered = new Float32Array(gates.length);
  for (const [to, from] of [0, 3, 1, 2].entries())
    ordered.set(gates.subarray(from * part, (from + 1) * part), to * part);
  return ordered;
}
