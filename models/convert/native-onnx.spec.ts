import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { GraphBuilder, type Dim } from './graph-builder.js';
import { openBatch } from './native-onnx.js';

/** input → Reshape to `target` → output, exported with the given first axis. */
function reshaping(batch: Dim, target: readonly number[]): Uint8Array {
  const graph = new GraphBuilder();
  const input = graph.input('input', [batch, 2, 6]);
  graph.output('output', graph.node('Reshape', [input, graph.integers(target)]), [1, ...target.slice(1)]);
  return graph.toModel('test');
}

describe('openBatch', () => {
  it('changes a fixed batch once and the same way each time', () => {
    const opened = openBatch(reshaping(1, [1, 12]), 'test.onnx');
    expect(opened).toEqual(openBatch(reshaping(1, [1, 12]), 'test.onnx'));
    // It is open now: opening it again finds no batch of 1.
    expect(() => openBatch(opened, 'test.onnx')).toThrow(/"input" is not a batch of 1/);
  });

  it.each([
    { why: 'a batch that is not 1', bytes: reshaping(4, [1, 48]), says: /"input" is not a batch of 1/ },
    { why: 'a reshape that moves the batch', bytes: reshaping(1, [12, 1]), says: /reshape to 12×1 moves the batch/ },
    {
      why: 'a truncated file',
      bytes: reshaping(1, [1, 12]).subarray(0, 40),
      says: /test\.onnx is not an ONNX model|holds no graph/,
    },
    {
      why: 'another kind of file',
      bytes: Buffer.from('<!doctype html>'),
      says: /test\.onnx is not an ONNX model|holds no graph/,
    },
  ])('refuses $why', ({ bytes, says }) => {
    expect(() => openBatch(bytes, 'test.onnx')).toThrow(AditError);
    expect(() => openBatch(bytes, 'test.onnx')).toThrow(says);
  });
});
