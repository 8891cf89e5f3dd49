// @ts-check
/**
 * One run of a graph whose tensors may stay in the thread that made them. Plain JavaScript, because the thread that runs the
 * models loads it straight from the source folder in tests.
 *
 * @typedef {import('./onnx-graph.js').StepFeed} StepFeed
 * @typedef {import('./onnx-graph.js').StepOutput} StepOutput
 */
import { ortTensor, readTensor } from './ort-tensor.js';

export class HeldTensors {
  /** @type {Map<number, import('onnxruntime-node').Tensor>} */
  #held = new Map();
  #count = 0;
  /**
   * Memory that rows are picked into, by where they go, while no run has it: no run outlives its call, and memory made anew for each
   * would keep the collector busy. @type {Map<string, ArrayBuffer>}
   */
  #picked = new Map();

  /**
   * Answers those of the outputs that `wanted` names, and numbers for those in `keep`, which stay here until they are dropped.
   *
   * @param {typeof import('onnxruntime-node')} ort
   * @param {import('onnxruntime-node').InferenceSession} session
   * @param {{ feeds: StepFeed[], wanted: readonly string[], keep: readonly string[] }} step
   * @returns {Promise<StepOutput[]>}
   */
  async run(ort, session, { feeds, wanted, keep }) {
    /** @type {Record<string, import('onnxruntime-node').Tensor>} */
    const inputs = {};
    /** @type {Map<string, ArrayBuffer>} */
    const taken = new Map();
    for (const feed of feeds) {
      inputs[feed.name] =
        'held' in feed ? this.#fed(ort, feed, feed.name, taken) : ortTensor(ort, feed.type, feed.data, feed.dims);
    }
    const results = await session.run(inputs, [...wanted, ...keep]);
    if (this.#held.size > 0) for (const [name, room] of taken) this.#picked.set(name, room);
    return [
      ...wanted.map((name) => {
        const tensor = readTensor(/** @type {import('onnxruntime-node').Tensor} */ (results[name]));
        if (tensor === null) throw new Error(`The output ${name} is text.`);
        // Always a copy: the original's memory may belong to ONNX Runtime.
        return /** @type {StepOutput} */ ({ ...tensor, name, data: tensor.data.slice() });
      }),
      ...keep.map((name) => {
        const tensor = /** @type {import('onnxruntime-node').Tensor} */ (results[name]);
        this.#count += 1;
        this.#held.set(this.#count, tensor);
        return { name, held: this.#count, dims: [...tensor.dims] };
      }),
    ];
  }

  /** @param {readonly number[]} numbers */
  drop(numbers) {
    for (const number of numbers) {
      this.#held.get(number)?.dispose();
      this.#held.delete(number);
    }
    if (this.#held.size === 0) this.#picked.clear();
  }

  get size() {
    return this.#held.size;
  }

  /**
   * @param {typeof import('onnxruntime-node')} ort
   * @param {import('./onnx-graph.js').FedTensor} feed
   * @param {string} name
   * @param {Map<string, ArrayBuffer>} taken
   */
  #fed(ort, { held, rows }, name, taken) {
    const tensor = this.#of(held);
    if (rows === undefined || rows.every((row, i) => row === i && rows.length === tensor.dims[0])) return tensor;
    const whole = readTensor(tensor);
    const count = tensor.dims[0] ?? 0;
    if (whole === null || rows.some((row) => !(row >= 0 && row < count)))
      throw new Error(`Rows are fed of a tensor that has ${count}.`);
    const length = whole.data.length / count;
    // Arrays of one type: the tensor has it.
    const Data = /** @type {Float32ArrayConstructor} */ (whole.data.constructor);
    const room = this.#room(name, rows.length * length * Data.BYTES_PER_ELEMENT);
    taken.set(name, room);
    const data = new Data(room, 0, rows.length * length);
    for (const [i, row] of rows.entries())
      data.set(/** @type {Float32Array} */ (whole.data).subarray(row * length, (row + 1) * length), i * length);
    return ortTensor(ort, whole.type, data, [rows.length, ...whole.dims.slice(1)]);
  }

  /**
   * At least so many bytes; a step that grows by a little seldom needs more than the one before it.
   *
   * @param {string} name
   * @param {number} bytes
   */
  #room(name, bytes) {
    const own = this.#picked.get(name);
    this.#picked.delete(name);
    if (own !== undefined && own.byteLength >= bytes) return own;
    return new ArrayBuffer(2 ** Math.ceil(Math.log2(Math.max(8, bytes))));
  }

  /** @param {number} number */
  #of(number) {
    const tensor = this.#held.get(number);
    if (!tensor) throw new Error('A tensor that was dropped is fed to a run.');
    return tensor;
  }
}
