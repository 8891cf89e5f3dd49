import type { Attribute } from '../graph-builder.js';
import { conversionError } from '../tensor.js';
import { channelsFirst, channelsFirstAxis, integersOf, livesChannelsFirst, plain } from '../tfjs-value.js';
import type { OpHandler } from './operation.js';
import { windowOf } from './window.js';

function pooling(op: string, attributes: Readonly<Record<string, Attribute>> = {}): OpHandler {
  return (operation) => {
    const image = operation.input(0);
    const [, height = 1, width = 1] = operation.integers('ksize');
    const window = windowOf(operation, image, [height, width]);
    const output = operation.graph.node(op, [channelsFirst(operation.graph, image)], {
      kernel_shape: [height, width],
      strides: window.strides,
      pads: window.pads,
      ...attributes,
    });
    const [batch = 1, , , channels = 1] = image.shape;
    return { shape: [batch, window.height, window.width, channels], channelsFirst: output };
  };
}

export const maxPooling = pooling('MaxPool');
/** TensorFlow never counts the padding in an average. */
export const averagePooling = pooling('AveragePool', { count_include_pad: 0 });

/** Mean over constant axes; over height and width it stays with channels first and needs no transpose. */
export const mean: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  const rank = value.shape.length;
  const axes = integersOf(operation.input(1), 'the axes of a mean').map((axis) => (axis + rank) % rank);
  if (axes.includes(0)) throw conversionError('a mean over the batch is not supported');
  const keep = operation.flag('keep_dims');
  const shape = value.shape.flatMap((dim, axis) => (axes.includes(axis) ? (keep ? [1] : []) : [dim]));
  if (livesChannelsFirst(value) && (keep || !axes.includes(3))) {
    const output = graph.node('ReduceMean', [channelsFirst(graph, value)], {
      axes: axes.map(channelsFirstAxis).sort((a, b) => a - b),
      keepdims: keep ? 1 : 0,
    });
    if (keep) return { shape, channelsFirst: output };
    // With height and width both gone, channels first and last are the same order.
    if (axes.length === 2) return { shape, plain: output };
  }
  const output = graph.node('ReduceMean', [plain(graph, value)], { axes, keepdims: keep ? 1 : 0 });
  return { shape, plain: output };
};
