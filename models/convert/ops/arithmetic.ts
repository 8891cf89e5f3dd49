import { conversionError } from '../tensor.js';
import { broadcast, channelsFirst, fixed, livesChannelsFirst, plain } from '../tfjs-value.js';
import { fusedSteps } from './activation.js';
import type { OpHandler } from './operation.js';

/** Elementwise functions of two tensors; in channels-first order as soon as one side is an image in that order. */
export function elementwise(op: string): OpHandler {
  return (operation) => {
    const { graph } = operation;
    const [a, b] = [operation.input(0), operation.input(1)];
    const shape = broadcast(a.shape, b.shape);
    if (livesChannelsFirst(a) || livesChannelsFirst(b)) {
      return { shape, channelsFirst: graph.node(op, [channelsFirst(graph, a), channelsFirst(graph, b)]) };
    }
    return { shape, plain: graph.node(op, [plain(graph, a), plain(graph, b)]) };
  };
}

/** MatMul and _FusedMatMul: rows × inputs times inputs × outputs, with fused steps. */
export const matrixProduct: OpHandler = (operation) => {
  const { graph } = operation;
  const [rows, weights] = [operation.input(0), operation.input(1)];
  if (operation.flag('transpose_a')) throw conversionError('a transposed left side would transpose the batch');
  const transB = operation.flag('transpose_b') ? 1 : 0;
  const { bias, finish } = fusedSteps(operation);
  const inputs = [plain(graph, rows), plain(graph, weights)];
  if (bias !== undefined) inputs.push(plain(graph, bias));
  const output = graph.node('Gemm', inputs, { transA: 0, transB });
  const columns = fixed(weights.shape[transB === 1 ? 0 : 1], 'the number of outputs');
  return { shape: [rows.shape[0] ?? 1, columns], plain: finish(output, (slopes) => plain(graph, slopes)) };
};
