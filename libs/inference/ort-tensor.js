// @ts-check
/**
 * What ONNX Runtime answers, as tensors of ours. Plain JavaScript, because the thread that runs the models loads it
 * straight from the source folder in tests.
 *
 * @typedef {import('./tensor.js').Tensor} Tensor
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
