import { ONNX_LIMITS } from '../onnx-outline.js';
import type { onnx } from 'onnx-proto';
import { FLOAT, floats, graphOf, int64s, model, node, value } from './onnx-file.js';

export const PICTURE = [1, 3, 64, 64];
export const KEEP_NOTHING: onnx.INodeProto = { attribute: [{ name: 'keepdims', type: 2, i: 0 }] };

/** A graph from a picture to `y`, ten numbers, with additions. */
export function simple(more: onnx.IGraphProto = {}): onnx.IGraphProto {
  const { input, output, node: nodes = [], initializer = [] } = graphOf(PICTURE, { y: [1, 10] });
  return {
    input: [...(input ?? []), ...(more.input ?? [])],
    output: more.output ?? output,
    node: [...(nodes ?? []), ...(more.node ?? [])],
    initializer: [...(initializer ?? []), ...(more.initializer ?? [])],
  };
}

export const Z = { output: [value('z', [1, 10])] };

/** A graph with a weight whose values lie in another file. */
export function external(location: string): onnx.IGraphProto {
  const externalData = Object.entries({ location, length: '8' }).map(([key, entry]) => ({ key, value: entry }));
  return simple({
    initializer: [{ name: 'w', dims: [2], dataType: FLOAT, dataLocation: 1, externalData }],
    node: [node('ReduceSum', ['w'], ['s'], KEEP_NOTHING), node('Add', ['y', 's'], ['z'])],
    ...Z,
  });
}

/** A loop of that many iterations, each of them a sum. */
export function loop(rounds: number): onnx.IGraphProto {
  const body: onnx.IGraphProto = {
    name: 'body',
    input: [value('i', [], 7), value('go', [], 9), value('sum', [])],
    output: [value('on', [], 9), value('next', [])],
    node: [node('Identity', ['go'], ['on']), node('Add', ['sum', 'sum'], ['next'])],
  };
  return {
    input: [value('images', PICTURE)],
    output: [value('end', [])],
    initializer: [int64s('rounds', [], [rounds]), { name: 'yes', dims: [], dataType: 9, int32Data: [1] }],
    node: [
      node('ReduceMean', ['images'], ['mean'], KEEP_NOTHING),
      node('Loop', ['rounds', 'yes', 'mean'], ['end'], { attribute: [{ name: 'body', type: 5, g: body }] }),
    ],
  };
}

const whole = model(simple());
const nested = (depth: number): ReturnType<typeof graphOf> =>
  depth === 0
    ? simple()
    : { name: 'g', node: [node('If', ['c'], ['z'], { attribute: [{ name: 'b', type: 5, g: nested(depth - 1) }] })] };
const withWeight = (weight: object): Uint8Array => model({ ...simple(), initializer: [weight] });
const raw = new Uint8Array(8);

/** Error of a file, the file, and the message for its sender. */
type Hostile = readonly [what: string, bytes: Uint8Array, message: RegExp];

/** Files that are refused before anything of them runs. */
export const UNREADABLE: readonly Hostile[] = [
  ['an empty one', new Uint8Array(0), /not an ONNX file: it holds no graph/],
  ['text', Buffer.from('<html>404 Not Found</html>'), /not an ONNX file/],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /not an ONNX file/],
  ['one without nodes', model({ input: [] }), /holds no node/],
  ['one without operator sets', model(simple(), { opsetImport: [] }), /which operators/],
  ['one of two graphs', Buffer.concat([whole, whole]), /two graphs/],
  ['a number that never ends', Buffer.alloc(64, 0xff), /longer than ten bytes|not an ONNX/],
  ['a field longer than the file', Buffer.from([0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f]), /ends behind its message/],
  ['a field of −1 bytes', Buffer.from([0x3a, ...Array<number>(9).fill(0xff), 0x01]), /negative length/],
  [
    'descriptions without number, and without words',
    Buffer.concat([whole, Buffer.alloc(2 * ONNX_LIMITS.fieldsOfOne, Buffer.from([0x32, 0]))]),
    /more than 10000 fields in one message/,
  ],
  [
    'values without number, and without names',
    model({ ...simple(), valueInfo: Array<object>(ONNX_LIMITS.fieldsOfGraph).fill({}) }),
    /more than 250000 fields in one message/,
  ],
  [
    'nodes of inputs without number, and without names',
    model(simple({ node: Array.from({ length: 102 }, () => node('Sum', Array<string>(9_900).fill(''), ['z'])) })),
    /more than 1000000 fields:/,
  ],
  ['graphs in graphs', model(nested(ONNX_LIMITS.depth + 2)), /deep in each other/],
  [
    'a weight that announces more than it brings',
    withWeight({ name: 'w', dims: [1e15], dataType: 1, rawData: raw }),
    /announces/,
  ],
  [
    'a weight with more numbers than there are',
    withWeight({ name: 'w', dims: [2 ** 40, 2 ** 40], dataType: 1, rawData: raw }),
    /announces/,
  ],
  ['a weight with a negative axis', withWeight({ name: 'w', dims: [-4], dataType: 1, rawData: raw }), /an axis of -4/],
  ['a weight of an unknown type', withWeight({ name: 'w', dims: [1], dataType: 99, rawData: raw }), /the type 99/],
  [
    'a weight of very many axes',
    withWeight({ name: 'w', dims: Array<number>(100).fill(1), dataType: 1, rawData: raw }),
    /64 axes/,
  ],
  [
    'a weight elsewhere that says nowhere',
    withWeight({ name: 'w', dims: [2], dataType: 1, dataLocation: 1 }),
    /does not say where/,
  ],
  [
    'a weight elsewhere at no number',
    withWeight({
      ...{ name: 'w', dims: [2], dataType: 1, dataLocation: 1 },
      externalData: [
        { key: 'location', value: 'x' },
        { key: 'offset', value: '-1' },
      ],
    }),
    /no number of bytes/,
  ],
  [
    'a name as long as a book',
    model({ ...simple(), name: 'g', node: [node('A'.repeat(5000), [], [])] }),
    /of 5000 bytes/,
  ],
  ['sparse weights', model({ ...simple(), sparseInitializer: [{ dims: [4] }] }), /sparse/],
  ['a training graph', model(simple(), { trainingInfo: [{}] }), /for inference/],
  [
    'much metadata',
    model(simple(), { metadataProps: Array.from({ length: 1001 }, (_, i) => ({ key: String(i), value: '' })) }),
    /metadata/,
  ],
];

/** Graphs that can be read, and cannot be used. */
export const UNFIT: readonly (readonly [what: string, graph: onnx.IGraphProto, message: RegExp])[] = [
  ['has weights outside of its folder', external('../other/weights.bin'), /outside of the model's folder/],
  ['has weights at an absolute path', external('/etc/passwd'), /outside of the model's folder/],
  ['has weights at a path of Windows', external('..\\weights.bin'), /outside of the model's folder/],
  ['lacks its weights', external('weights.bin'), /is missing: put it beside the graph/],
  ['has weights that are a folder', external('.'), /no file/],
  ['has NaN among its weights', simple({ initializer: [floats('w', [3], [1, NaN, 2])] }), /"w" holds NaN/],
  [
    'answers NaN',
    simple({ node: [node('Sub', ['y', 'y'], ['n']), node('Div', ['n', 'n'], ['z'])], ...Z }),
    /"z" is NaN/,
  ],
  [
    'uses an operator of its maker',
    simple({ node: [node('DCNv3', ['y'], ['z'], { domain: 'mmdeploy' })], ...Z }),
    /"mmdeploy:DCNv3"/,
  ],
  [
    'uses an operator that does not exist',
    simple({ node: [node('Relo', ['y'], ['z'])], ...Z }),
    /cannot be loaded by ONNX Runtime/,
  ],
  [
    'adds what cannot be added',
    simple({ initializer: [floats('w', [3], [1, 2, 3])], node: [node('Add', ['y', 'w'], ['z'])], ...Z }),
    /ONNX Runtime/,
  ],
  ['takes text', simple({ input: [value('text', [1], 8)] }), /"text" takes string/],
  ['takes more numbers than a picture has', graphOf([1, 3, 100_000, 100_000], { y: [1, 10] }), /at most \d+ can/],
];
