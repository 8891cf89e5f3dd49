import { describe, expect, it } from '@jest/globals';
import { embeddingHeadGraph } from './embedding-head.js';
import { THIS_THREAD } from '../sessions/onnx-graph.js';

const vector = (...values: number[]): Float32Array => Float32Array.from(values);

describe('the graph of a classifier head over embeddings', () => {
  const classes = [
    { id: 'a', label: 'Ada', centres: [vector(1, 0, 0), vector(0, 1, 0)] },
    { id: 'b', label: 'Bea', centres: [vector(0, 0, 1)] },
  ];
  const graphOf = () => Buffer.concat([...embeddingHeadGraph({ dimensions: 3, classes, threshold: 0.5 })]);
  const bytes = graphOf();

  it('answers the cosine with the nearest centre of each class, and the threshold', async () => {
    const graph = await THIS_THREAD.load(bytes, { executionProviders: ['cpu'] });
    const data = Float32Array.from([0, 5, 0, 0, 0, 2, 3, 0, 4]);
    const outputs = await graph.run([{ name: 'embedding', type: 'float32', data, dims: [3, 3] }]);
    const values = (name: string) => Array.from(outputs.find((output) => output.name === name)!.data as Float32Array);
    const expected = [1, 0, 0, 1, 0.6, 0.8];
    values('scores').forEach((score, at) => expect(score).toBeCloseTo(expected[at]!, 5));
    expect(values('scores')).toHaveLength(expected.length);
    expect(values('threshold')).toEqual([0.5]);
    await graph.release();
  });

  it('is deterministic and names its classes', () => {
    expect(graphOf().equals(bytes)).toBe(true);
    expect(bytes.includes('[{"id":"a","label":"Ada"},{"id":"b","label":"Bea"}]')).toBe(true);
  });
});
