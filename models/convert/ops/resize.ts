import { conversionError } from '../tensor.js';
import { channelsFirst, fixed, integersOf } from '../tfjs-value.js';
import type { OpHandler } from './operation.js';

/** ResizeBilinear to a constant size, written as factors, since a size would have to include the batch. */
export const resizeBilinear: OpHandler = (operation) => {
  const { graph } = operation;
  const image = operation.input(0);
  const [height = 0, width = 0] = integersOf(operation.input(1), 'the size of a resize');
  const [batch = 1, rows, columns, channels = 1] = image.shape;
  if (operation.flag('align_corners')) throw conversionError('a resize with aligned corners is not supported');
  const mode = operation.flag('half_pixel_centers') ? 'half_pixel' : 'asymmetric';
  const factors = [1, 1, height / fixed(rows, 'an image height'), width / fixed(columns, 'an image width')];
  const output = graph.node('Resize', [channelsFirst(graph, image), '', graph.floats(factors, [4])], {
    mode: 'linear',
    coordinate_transformation_mode: mode,
  });
  return { shape: [batch, height, width, channels], channelsFirst: output };
};
