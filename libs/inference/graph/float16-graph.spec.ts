import { describe, expect, it } from '@jest/globals';
import { float16Graph } from './float16-graph.js';
import { fitsFloat16, toFloat16 } from './float16-number.js';
import { fieldOf, fieldsOf, message, type Field } from './protobuf.js';
import { linearGraph, node, valueInfo } from './spec-graph.js';

const IR = 8;

function model(graph: Field[], opset = 17, ir = IR, more: Field[] = []): Buffer {
  return message([[1, ir], [7, message(graph)], [8, message([[2, opset]])], ...more]);
}

/** y = relu(x · w) · w in 1×1 matrices, then softmax: two products with a node between them, and an end in float32. */
function products(weight: number, more: Field[] = []): Field[] {
  return [
    [1, node('MatMul', ['x', 'w'], 'a')],
    [1, node('Relu', ['a'], 'b')],
    [1, node('MatMul', ['b', 'w'], 'c')],
    [1, node('Softmax', ['c'], 'y')],
    [5, matrix('w', weight)],
    [11, valueInfo('x', ['N', 1])],
    [12, valueInfo('y', ['N', 1])],
    ...more,
  ];
}

function matrix(name: string, value: number): Buffer {
  return message([
    [1, 1],
    [1, 1],
    [2, 1],
    [8, name],
    [9, new Uint8Array(Float32Array.of(value).buffer)],
  ]);
}

/** `operator(inputs)->outputs` of each node, in order. */
function nodesOf(graph: Uint8Array): string[] {
  const texts = (bytes: Uint8Array, number: number): string =>
    [...fieldsOf(bytes)]
      .filter((field) => field.number === number)
      .map((field) => Buffer.from(field.bytes).toString())
      .join();
  return [...fieldsOf(fieldOf(graph, 7)?.bytes ?? new Uint8Array())]
    .filter(({ number }) => number === 1)
    .map(({ bytes }) => `${texts(bytes, 4)}(${texts(bytes, 1)})->${texts(bytes, 2)}`);
}

describe('a graph in float16', () => {
  it('has products and the nodes between them in float16, its ends in float32, and is deterministic', () => {
    const graph = model(products(0.5));
    expect(nodesOf(float16Graph(graph))).toEqual([
      'Cast(x)->adit_half/x',
      'MatMul(adit_half/x,adit_half/w)->adit_half/a',
      'Relu(adit_half/a)->adit_half/b',
      'MatMul(adit_half/b,adit_half/w)->adit_half/c',
      'Cast(adit_half/c)->c',
      'Softmax(c)->y',
    ]);
    expect(float16Graph(graph).equals(float16Graph(graph))).toBe(true);
  });

  it('keeps a product in float32 whose weights leave the range', () => {
    expect(
      nodesOf(
        float16Graph(model([...products(0.5), [5, matrix('big', 70_000)], [1, node('MatMul', ['y', 'big'], 'z')]])),
      ),
    ).toContain('MatMul(y,big)->z');
    expect(() => float16Graph(model(products(70_000)))).toThrow('it has no products in float32');
  });

  it('takes initialisers that are inputs, as in old graphs, for constants', () => {
    const old = model(products(0.5, [[11, valueInfo('w', [1, 1])]]), 9, 3);
    const half = float16Graph(old);
    const inputs = [...fieldsOf(fieldOf(half, 7)?.bytes ?? new Uint8Array())].filter(({ number }) => number === 11);
    expect([inputs.length, fieldOf(half, 1)?.value]).toEqual([1, 4]);
  });

  const loop = message([
    [1, 'x'],
    [2, 'l'],
    [4, 'Loop'],
    [
      5,
      message([
        [1, 'body'],
        [6, message(products(1))],
        [20, 5],
      ]),
    ],
  ]);
  const outside = message([
    [1, 1],
    [1, 1],
    [2, 1],
    [8, 'w2'],
    [
      13,
      message([
        [1, 'location'],
        [2, 'w.bin'],
      ]),
    ],
    [14, 1],
  ]);
  const foreign = message([
    [1, 'c'],
    [2, 'z'],
    [4, 'MatMulNBits'],
    [7, 'com.microsoft'],
  ]);
  const half = message([
    [1, 1],
    [2, 10],
    [8, 'h'],
    [9, new Uint8Array(2)],
  ]);
  const short = message([
    [1, 2 ** 40],
    [1, 2 ** 40],
    [2, 1],
    [8, 'h'],
    [9, new Uint8Array(4)],
  ]);
  const many = Array.from({ length: 50_000 }, (_, i): Field => [1, node('Relu', ['c'], `r${i}`)]);
  it.each<[string, Uint8Array, string]>([
    ['no ONNX file', Buffer.from('hello, world'), 'it is no ONNX file'],
    ['a file cut short', model(products(1)).subarray(0, 90), 'it is no ONNX file'],
    ['no graph', message([[1, IR]]), 'it holds no graph'],
    ['operators of another age', model(products(1), 99), 'its operators are of version 99'],
    ['a graph inside of it', model(products(1, [[1, loop]])), 'it has a graph inside of Loop'],
    ['functions', model(products(1), 17, IR, [[25, message([[1, 'f']])]]), 'it has functions or a training of its own'],
    ['an unknown operator', model(products(1, [[1, node('Mystery', ['c'], 'z')]])), 'it has the operator Mystery'],
    [
      'an operator of another domain',
      model(products(1, [[1, foreign]])),
      'it has the operator com.microsoft.MatMulNBits',
    ],
    ['weights in other files', model(products(1, [[5, outside]])), 'its weights lie in other files'],
    ['float16 already', model(products(1, [[5, half]])), 'h is in float16 already'],
    ['a shape beyond its numbers', model(products(1, [[5, short]])), 'h has not as many numbers as its shape'],
    [
      'a value from nowhere',
      model(products(1, [[1, node('Relu', ['ghost'], 'z')]])),
      'nothing gives ghost, which Relu reads',
    ],
    ['more nodes than are read', model(products(1, many)), 'it has more than 50000 nodes and weights'],
    ['nothing to gain', linearGraph(2, 3), 'it has no products in float32'],
  ])('is refused for %s', (_, graph, why) => {
    expect(() => float16Graph(graph)).toThrow(expect.objectContaining({ code: 'VALIDATION', message: why }));
  });
});

describe('float16 numbers', () => {
  it('are the nearest, ties to even, subnormal and infinite where necessary', () => {
    const values = [
      0,
      -0,
      1,
      -2,
      65_504,
      65_519,
      65_520,
      1 + 2 ** -11,
      1 + 3 * 2 ** -11,
      2 ** -24,
      2 ** -25,
      1.1 * 2 ** -25,
      2 ** -14,
      -Infinity,
    ];
    expect([...toFloat16(Float32Array.from(values))]).toEqual([
      0, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x3c00, 0x3c02, 1, 0, 1, 0x0400, 0xfc00,
    ]);
    expect([...toFloat16(Float32Array.of(NaN))]).toEqual([0x7e00]);
  });

  it('have a range that ignores infinities', () => {
    expect([[65_519, -Infinity], [65_520], [-70_000]].map((values) => fitsFloat16(Float32Array.from(values)))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
