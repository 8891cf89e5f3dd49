// @ts-check
/**
 * Tensors of ours for ONNX Runtime, and what it answers. Plain JavaScript, because the thread that runs the models loads it
 * straight from the source folder in tests.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 */

const HELD = new Set(['float32', 'uint8', 'int32', 'int64', 'bool']);

/**
 * A tensor in ONNX Runtime's own memory wherever it can be. Numbers of types that nothing here reads arrive as float32;
 * null for text.
 *
 * @param {import('onnxruntime-node').Tensor} tensor
 * @returns {Tensor | null}
 */
export function readTensor({ type, data, dims }) {
  if (type === 'string') return null;
  if (HELD.has(type)) return /** @type {Tensor} */ ({ type, data, dims: [...dims] });
  if (type === 'float16') {
    // A Float16Array where the language has it, else the bits.
    const { buffer, byteOffset, length } = /** @type {Uint16Array} */ (data);
    return { type, data: new Uint16Array(buffer, byteOffset, length), dims: [...dims] };
  }
  const numbers = /** @type {ArrayLike<number | bigint>} */ (/** @type {unknown} */ (data));
  return { type: 'float32', data: Float32Array.from(numbers, Number), dims: [...dims] };
}

/**
 * A tensor for ONNX Runtime to read. Where the language has a Float16Array (Node 24) its constructor puts the bits into one,
 * which its own native half takes for empty: that one is given the bits.
 *
 * @param {typeof import('onnxruntime-node')} ort
 * @param {import('../tensor.js').TensorType} type
 * @param {unknown} data
 * @param {readonly number[]} dims
 * @returns {import('onnxruntime-node').Tensor}
 */
export function ortTensor(ort, type, data, dims) {
  const tensor = new ort.Tensor(type, /** @type {any} */ (data), dims);
  if (type === 'float16') Object.assign(tensor, { cpuData: data });
  return tensor;
}
