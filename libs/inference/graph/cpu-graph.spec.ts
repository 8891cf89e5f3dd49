import { elementAt } from '@adit/contracts';
import { randomOf } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { cpuGraph } from './cpu-graph.js';
import { ELEMENT, readGraph } from './graph-reading.js';
import { floatAttribute, operator, tensor, textAttribute, wholeAttribute, wholesAttribute } from './graph-writing.js';
import { OnnxSession } from '../sessions/onnx-session.js';
import type { Field } from './protobuf.js';
import { floats, linearGraph, loopingGraph, model, valueInfo } from './spec-graph.js';
import { floatTensor } from '../tensor.js';

const CHANNELS = 16;
const SIDE = 6;
/** Largest difference due to other rounding, as a share of the largest number. */
const ROUNDING = 1e-5;

/** Nodes over a picture `x`, and their constants. */
interface Parts {
  nodes: Buffer[];
  constants: Buffer[];
}

function joined(...parts: Parts[]): Parts {
  return { nodes: parts.flatMap(({ nodes }) => nodes), constants: parts.flatMap(({ constants }) => constants) };
}

function graphOf({ nodes, constants }: Parts, { opset = 13, outputs = ['y'], channels = CHANNELS } = {}): Buffer {
  const fields = [
    ...nodes.map((bytes): Field => [1, bytes]),
    ...constants.map((bytes): Field => [5, bytes]),
    [11, valueInfo('x', ['N', channels, SIDE, SIDE])] as Field,
    ...outputs.map((name): Field => [12, valueInfo(name, ['N', 'C', 'H', 'W'])]),
  ];
  return model(fields, opset);
}

const random = randomOf(3);
const noise = (length: number): number[] => Array.from({ length }, () => 2 * random() - 1);

/** A convolution of 3×3 pixels, with as many output as input channels by default. */
function convolution(from: string, to: string, channels = CHANNELS, inputs = channels): Parts {
  return {
    nodes: [operator('Conv', [from, `${to}/w`, `${to}/b`], to, [wholesAttribute('pads', [1, 1, 1, 1])])],
    constants: [
      floats(`${to}/w`, [channels, inputs, 3, 3], noise(channels * inputs * 9)),
      floats(`${to}/b`, [channels], noise(channels)),
    ],
  };
}

/** An operation with a number: `op(from, number)`, or with swapped operands. */
function numbered(op: string, from: string, number: number, to: string, isFirst = false): Parts {
  const inputs = [from, `${to}/n`];
  return {
    nodes: [operator(op, isFirst ? inputs.toReversed() : inputs, to)],
    constants: [floats(`${to}/n`, [], [number])],
  };
}

function prelu(from: string, to: string, dims = [CHANNELS, 1, 1], channels = CHANNELS): Parts {
  return {
    nodes: [operator('PRelu', [from, `${to}/slope`], to)],
    constants: [floats(`${to}/slope`, dims, noise(channels))],
  };
}

/** Pooling that keeps the size. */
function pool(from: string, to: string, op: 'MaxPool' | 'AveragePool' = 'MaxPool'): Parts {
  const attributes = [wholesAttribute('kernel_shape', [3, 3]), wholesAttribute('pads', [1, 1, 1, 1])];
  return { nodes: [operator(op, [from], to, attributes)], constants: [] };
}

function sum(one: string, other: string, to: string): Parts {
  return { nodes: [operator('Add', [one, other], to)], constants: [] };
}

/** Pads channels on both sides, and rows. */
function padChannels(
  from: string,
  to: string,
  [before, after]: [number, number],
  opset = 13,
  { rows = 0, filling = 0, mode = '' } = {},
): Parts {
  const amounts = [0, before, 0, 0, 0, after, rows, 0];
  const modes = mode === '' ? [] : [textAttribute('mode', mode)];
  if (opset < 11) {
    const attributes = [wholesAttribute('pads', amounts), floatAttribute('value', filling), ...modes];
    return { nodes: [operator('Pad', [from], to, attributes)], constants: [] };
  }
  return {
    nodes: [operator('Pad', [from, `${to}/pads`, `${to}/value`], to, modes)],
    constants: [
      tensor(`${to}/pads`, ELEMENT.int64, [8], BigInt64Array.from(amounts, BigInt)),
      floats(`${to}/value`, [], [filling]),
    ],
  };
}

/** Adds the output of one convolution, padded by four channels, to that of another. */
function grown({ rows = 0, filling = 0, mode = '', added = [0, 4] as [number, number] }): Parts {
  return joined(
    convolution('x', 'a'),
    convolution('a', 'b', CHANNELS + 4, CHANNELS),
    padChannels('a', 'c', added, 13, { rows, filling, mode }),
    sum('b', 'c', 'y'),
  );
}

/** A Clip in the form of the given opset. */
function clip(from: string, to: string, [low, high]: [number, number], opset = 13): Parts {
  if (opset < 11) {
    const bounds = [floatAttribute('min', low), floatAttribute('max', high)];
    return { nodes: [operator('Clip', [from], to, bounds)], constants: [] };
  }
  return {
    nodes: [operator('Clip', [from, `${to}/low`, `${to}/high`], to)],
    constants: [floats(`${to}/low`, [], [low]), floats(`${to}/high`, [], [high])],
  };
}

/** x · clip(x + 3, 0, 6) / 6, with its neighbours as in a network of PaddlePaddle. */
function hardSwish(from: string, to: string, opset: number): Parts {
  return joined(
    numbered('Add', from, 3, `${to}/moved`),
    clip(`${to}/moved`, `${to}/gate`, [0, 6], opset),
    { nodes: [operator('Mul', [from, `${to}/gate`], `${to}/product`)], constants: [] },
    numbered('Div', `${to}/product`, 6, `${to}/swish`),
    numbered('Mul', `${to}/swish`, -0.75, `${to}/scaled`, true),
    numbered('Add', `${to}/scaled`, 0.25, to),
  );
}

function operatorsOf(graph: Uint8Array): string[] {
  return readGraph(graph).nodes.map(({ op }) => op);
}

/** Rewrites a graph; fails when nothing was rewritten. */
function rewritten(graph: Buffer): Buffer {
  const fast = cpuGraph(graph);
  if (fast === null) throw new Error('Nothing was rewritten.');
  return fast;
}

async function answersOf(graph: Uint8Array, channels = CHANNELS): Promise<number[]> {
  const session = await OnnxSession.load(graph, { providers: ['cpu'], threads: 1 });
  const own = randomOf(5);
  // Includes zeros of both signs.
  const pixels = Float32Array.from({ length: channels * SIDE ** 2 }, (_, i) =>
    i % 11 === 0 ? (i % 2 === 0 ? 0 : -0) : 8 * own() - 4,
  );
  try {
    const outputs = await session.run([{ x: floatTensor(pixels, [channels, SIDE, SIDE]) }]);
    return Object.values(elementAt(outputs, 0)).flatMap(({ data }) => [...data].map(Number));
  } finally {
    await session.release();
  }
}

async function expectRounding(graph: Buffer, fast: Buffer, channels = CHANNELS): Promise<void> {
  const [plain, quick] = [await answersOf(graph, channels), await answersOf(fast, channels)];
  const scale = Math.max(...plain.map(Math.abs));
  expect(quick).toHaveLength(plain.length);
  expect(Math.max(...quick.map((value, i) => Math.abs(value - elementAt(plain, i)))) / scale).toBeLessThan(ROUNDING);
}

describe('a graph rewritten for a CPU', () => {
  it.each([
    ['17', [CHANNELS, 1, 1], 17],
    ['9, slopes with a batch', [1, CHANNELS, 1, 1], 9],
  ])('has no PRelu behind convolutions, with bit-identical answers: opset %s', async (_, dims, opset) => {
    const graph = graphOf(joined(convolution('x', 'a'), prelu('a', 'b', dims), prelu('b', 'y', dims)), { opset });
    const fast = rewritten(graph);
    expect(operatorsOf(fast)).toEqual(['Conv', ...['Conv', 'Relu', 'Conv', 'Relu', 'Add'], ...PRELU]);
    expect(await answersOf(fast)).toEqual(await answersOf(graph));
    expect(rewritten(graph).equals(fast)).toBe(true);
  });

  it.each([10, 13])('has Clip in place of Min and Max, with bit-identical answers: opset %i', async (opset) => {
    const graph = graphOf(
      joined(
        convolution('x', 'a'),
        numbered('Min', 'a', 6, 'b'),
        numbered('Max', 'b', 0, 'c'),
        numbered('Max', 'c', 1, 'd', true),
        numbered('Min', 'd', 5, 'y', true),
      ),
      { opset },
    );
    const fast = rewritten(graph);
    expect(operatorsOf(fast)).toEqual(['Conv', 'Clip', 'Clip']);
    expect(await answersOf(fast)).toEqual(await answersOf(graph));
  });

  it.each([10, 13])('has numbers folded into weights and hard swish in convolutions: opset %i', async (opset) => {
    const graph = graphOf(
      joined(
        convolution('x', 'a'),
        numbered('Mul', 'a', -1.5, 'b', true),
        numbered('Sub', 'b', 0.5, 'c', true),
        hardSwish('c', 'd', opset),
        convolution('d', 'e'),
        numbered('Sub', 'e', 2, 'f'),
        hardSwish('f', 'y', opset),
      ),
      { opset },
    );
    const fast = rewritten(graph);
    const swish = ['Conv', 'Clip', 'Mul', 'Conv'];
    expect(operatorsOf(fast)).toEqual(['Conv', ...swish, 'Conv', ...swish]);
    await expectRounding(graph, fast);
  });

  it.each([9, 13])(
    'keeps sums with pooled channels in blocks, and those with more channels: opset %i',
    async (opset) => {
      const graph = graphOf(
        joined(
          convolution('x', 'a', 12),
          convolution('a', 'b', 12),
          pool('a', 'c'),
          sum('b', 'c', 'd'),
          convolution('d', 'e', 20, 12),
          padChannels('d', 'f', [3, 5], opset),
          sum('f', 'e', 'y'),
        ),
        { opset, channels: 12 },
      );
      const fast = rewritten(graph);
      expect(operatorsOf(fast)).toEqual(['Conv', 'Conv', 'MaxPool', 'Conv', 'Add', 'Conv', 'Conv', 'Add']);
      await expectRounding(graph, fast, 12);
    },
  );

  it('keeps values that others read, and anything uncertain', () => {
    const middle = joined(convolution('x', 'a'), numbered('Mul', 'a', 2, 'b'), numbered('Add', 'b', 1, 'y'));
    // The convolution's own output is a graph output.
    expect(cpuGraph(graphOf(middle, { outputs: ['a', 'y'] }))).toBeNull();
    // The value in between is a graph output: the part before it is folded.
    expect(operatorsOf(rewritten(graphOf(middle, { outputs: ['b', 'y'] })))).toEqual(['Conv', 'Add']);
    const bounds = [numbered('Min', 'a', 0, 'b'), numbered('Max', 'b', 6, 'y')];
    const odd = 12;
    const many = Array.from({ length: 50_000 }, (_, i) => operator('Relu', ['a'], `r${i}`));
    const left: [string, Buffer][] = [
      ['bounds that cross', graphOf(joined(convolution('x', 'a'), ...bounds))],
      ['bounds of what may be no picture', graphOf(joined(numbered('Min', 'x', 6, 'b'), numbered('Max', 'b', 0, 'y')))],
      [
        'channels that fill no blocks',
        graphOf(joined(convolution('x', 'a', odd), prelu('a', 'y', [odd, 1, 1], odd)), { channels: odd }),
      ],
      ['slopes of each row', graphOf(joined(convolution('x', 'a'), prelu('a', 'y', [CHANNELS, SIDE, 1], 96)))],
      ['a number that is divided', graphOf(joined(convolution('x', 'a'), numbered('Div', 'a', 2, 'y', true)))],
      ['channels and rows', graphOf(grown({ rows: 2 }))],
      ['rows alone', graphOf(grown({ rows: 2, added: [0, 0] }))],
      ['channels of ones', graphOf(grown({ filling: 1 }))],
      ['channels of the edge', graphOf(grown({ mode: 'edge' }))],
      ['channels that are taken away', graphOf(grown({ added: [-4, 8] }))],
      ['more channels of an answer', graphOf(grown({}), { outputs: ['c', 'y'] })],
      [
        'pooled channels that fill blocks',
        graphOf(joined(convolution('x', 'a'), convolution('a', 'b'), pool('a', 'c'), sum('b', 'c', 'y'))),
      ],
      ['all multiplied with 0', graphOf(joined(convolution('x', 'a'), numbered('Mul', 'a', 0, 'y')))],
      ['all divided by 0', graphOf(joined(convolution('x', 'a'), numbered('Div', 'a', 0, 'y')))],
      ['lines with a number of four dimensions', linesGraph()],
      ['rows', linearGraph(4, 2)],
      ['a graph in a graph', loopingGraph()],
      [
        'more nodes than are read',
        graphOf(joined(convolution('x', 'a'), prelu('a', 'y'), { nodes: many, constants: [] })),
      ],
      ['no graph', Buffer.from('no graph')],
      ['nothing', Buffer.alloc(0)],
    ];
    expect(left.filter(([, graph]) => cpuGraph(graph) !== null).map(([what]) => what)).toEqual([]);
  });

  it('grows by some 64 MiB at most, however many numbers folding would need', () => {
    const channels = 2 ** 14;
    const last = 1_000;
    const slopes = [operator('PRelu', ['v0', 's'], 'v1')];
    for (let n = 1; n < last; n++) slopes.push(operator('PRelu', [`v${n}`, 's'], `v${n + 1}`));
    const graph = model([
      [1, operator('Conv', ['x', 'w'], 'v0', [wholeAttribute('group', channels)])],
      ...slopes.map((bytes): Field => [1, bytes]),
      [5, floats('w', [channels, 1, 1, 1], Array<number>(channels).fill(1))],
      [5, floats('s', [channels, 1, 1], Array<number>(channels).fill(0.5))],
      [11, valueInfo('x', ['N', channels, 1, 1])],
      [12, valueInfo(`v${last}`, ['N', channels, 1, 1])],
    ]);
    const fast = rewritten(graph);
    expect(fast.length).toBeGreaterThan(2 ** 26);
    expect(fast.length).toBeLessThan(1.1 * 2 ** 26);
    expect(operatorsOf(fast)).toContain('PRelu');
  });

  it('answers as the original for randomly generated networks', async () => {
    let rewrites = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const graph = drawn(seed);
      const fast = cpuGraph(graph);
      if (fast === null) continue;
      rewrites++;
      await expectRounding(graph, fast);
    }
    expect(rewrites).toBeGreaterThan(30);
  }, 120_000);
});

/** A convolution over a line, N×channels×W, times a number that adds a dimension. */
function linesGraph(): Buffer {
  return model([
    [1, operator('Conv', ['x', 'w'], 'a')],
    [1, operator('Mul', ['a', 'n'], 'y')],
    [5, floats('w', [CHANNELS, CHANNELS, 1], noise(CHANNELS ** 2))],
    [5, floats('n', [1, 1, 1, 1], [2])],
    [11, valueInfo('x', ['N', CHANNELS, SIDE])],
    [12, valueInfo('y', [1, 'N', CHANNELS, SIDE])],
  ]);
}

const PRELU = ['Conv', 'Relu', 'Conv', 'Relu', 'Add'];

/** Ten random steps, each of one of the last values, some of which are outputs too. */
function drawn(seed: number): Buffer {
  const own = randomOf(seed);
  const one = <T>(items: readonly T[]): T => elementAt(items, Math.floor(own() * items.length));
  const opset = one([9, 11, 17]);
  const values = ['x'];
  const parts: Parts[] = [];
  for (let step = 0; step < 10; step++) {
    const from = one(values.slice(-2));
    const to = step === 9 ? 'y' : `v${step}`;
    const number = one([-2, -0.5, 0.25, 1, 3, 6]);
    const makers = [
      () => convolution(from, to),
      () => prelu(from, to),
      () => numbered(one(['Mul', 'Add', 'Sub', 'Min', 'Max']), from, number, to, own() < 0.5),
      () => numbered('Div', from, number, to),
      () => clip(from, to, [-1, 4], opset),
      () => hardSwish(from, to, opset),
      () => {
        const pooled = joined(convolution(from, `${to}/a`), pool(from, `${to}/b`, one(['MaxPool', 'AveragePool'])));
        return joined(pooled, sum(`${to}/a`, `${to}/b`, to));
      },
      () => {
        const few = joined(
          convolution(from, `${to}/a`, 12, CHANNELS),
          padChannels(`${to}/a`, `${to}/b`, [1, 3], opset),
        );
        return joined(few, convolution(from, `${to}/c`), sum(`${to}/b`, `${to}/c`, to));
      },
      () => ({ nodes: [operator(one(['Add', 'Mul']), [from, one(values)], to)], constants: [] }),
    ];
    parts.push(one(makers)());
    values.push(to);
  }
  const outputs = ['y', ...(own() < 0.3 ? [one(values.slice(1, -1))] : [])];
  return graphOf(joined(...parts), { opset, outputs });
}
