import { BATCH, GraphBuilder } from './graph-builder.js';
import { conversionError, reshaped, transposed, type ConstantTensor } from './tensor.js';

// Kernels are stored height×width×in×out (depthwise: height×width×channels×1).
const CONVOLUTION_TO_ONNX = [3, 2, 0, 1] as const;
const DEPTHWISE_TO_ONNX = [2, 3, 0, 1] as const;

/** Mean colour face-api subtracts before dividing by 255 (`ops/normalize.ts` of face-api; RGB, 0..255). */
const MEAN_RGB = [122.782, 117.001, 104.298] as const;

/**
 * The layers face-api.js builds its networks from, over weights it ships without a graph. Everything is N×C×H×W.
 * Weights are asked for by the path face-api gives them.
 */
export class FaceApiLayers {
  readonly graph = new GraphBuilder();

  constructor(private readonly weights: ReadonlyMap<string, ConstantTensor>) {}

  has(path: string): boolean {
    return this.weights.has(path);
  }

  /** The input `input`: N×3×side×side RGB, 0..255, brought to about -0.5..0.5 inside the graph. */
  normalisedInput(side: number): string {
    const input = this.graph.input('input', [BATCH, 3, side, side]);
    const centred = this.graph.node('Sub', [input, this.graph.floats(MEAN_RGB, [1, 3, 1, 1])]);
    return this.graph.node('Div', [centred, this.graph.floats([255])]);
  }

  convolution(input: string, kernelPath: string, stride: number, padding: 'same' | 'valid'): string {
    const kernel = this.weight(kernelPath);
    return this.graph.node('Conv', [input, this.graph.constant(transposed(kernel, CONVOLUTION_TO_ONNX))], {
      kernel_shape: kernel.dims.slice(0, 2),
      strides: [stride, stride],
      auto_pad: padding === 'same' ? 'SAME_UPPER' : 'VALID',
    });
  }

  /** Depthwise then pointwise convolution, then a bias: weights below `path`. */
  separableConvolution(input: string, path: string, stride = 1): string {
    const kernel = this.weight(`${path}/depthwise_filter`);
    const depthwise = this.graph.node('Conv', [input, this.graph.constant(transposed(kernel, DEPTHWISE_TO_ONNX))], {
      kernel_shape: kernel.dims.slice(0, 2),
      // Omitted where it is 1, since the catalogue has the hashes of networks without it.
      ...(stride === 1 ? {} : { strides: [stride, stride] }),
      auto_pad: 'SAME_UPPER',
      group: kernel.dims[2] ?? 1,
    });
    const pointwise = this.convolution(depthwise, `${path}/pointwise_filter`, 1, 'same');
    return this.add(pointwise, this.perChannel(`${path}/bias`));
  }

  fullyConnected(input: string, weightsPath: string, biasPath?: string): string {
    const inputs = [input, this.graph.constant(this.weight(weightsPath))];
    if (biasPath !== undefined) inputs.push(this.graph.constant(this.weight(biasPath)));
    return this.graph.node('Gemm', inputs);
  }

  /** One value per channel, shaped to be added to or multiplied with N×C×H×W. */
  perChannel(path: string): string {
    const vector = this.weight(path);
    return this.graph.constant(reshaped(vector, [1, vector.data.length, 1, 1]));
  }

  add(a: string, b: string): string {
    return this.graph.node('Add', [a, b]);
  }

  multiply(a: string, b: string): string {
    return this.graph.node('Mul', [a, b]);
  }

  relu(input: string): string {
    return this.graph.node('Relu', [input]);
  }

  private weight(path: string): ConstantTensor {
    const tensor = this.weights.get(path);
    if (tensor === undefined) throw conversionError(`the weights hold no tensor "${path}"`);
    return tensor;
  }
}
