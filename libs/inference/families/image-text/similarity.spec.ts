import { describe, expect, it } from '@jest/globals';
import { floatTensor } from '../../tensor.js';
import { comparable, likeness } from './similarity.js';

describe('the similarity of a picture and words', () => {
  // Computed with NumPy as transformers' CLIPModel and SiglipModel compute logits_per_image from these embeddings, and
  // their pipelines the scores.
  const picture = floatTensor(Float32Array.of(0.3, -1.2, 2.5, 0.7), [4]);
  const texts = [
    [0.2, -1, 2, 1],
    [1, 1, 1, 1],
    [0.1, -0.9, 2.6, 0.2],
  ].map((values) => comparable('t', { text_embeds: floatTensor(Float32Array.from(values), [4]) }, 4));
  const vector = comparable(
    'p',
    { image_embeds: picture, last_hidden_state: floatTensor(new Float32Array(9), [9]) },
    4,
  );

  it('is a share of all words with CLIP', () => {
    const scores = [...likeness(vector, texts, { scale: 100, bias: 0 }, 'clip')];
    [0.70064804, 0.0, 0.29935196].forEach((score, at) => expect(scores[at]).toBeCloseTo(score, 5));
  });

  it('is independent per word with SigLIP', () => {
    const scores = [...likeness(vector, texts, { scale: 117.33, bias: -112.9 }, 'siglip')];
    [0.93363508, 0.0, 0.83837132].forEach((score, at) => expect(scores[at]).toBeCloseTo(score, 4));
  });

  it('is refused for encoders that contradict their manifest', () => {
    const output = (values: number[]) => ({ pooler_output: floatTensor(Float32Array.from(values), [values.length]) });
    expect(() => comparable('mine', output([1, 2, 3]), 4)).toThrow('mine gives 3 numbers; its model.yaml says 4');
    expect(() => comparable('mine', {}, 4)).toThrow('mine gives none');
    expect(() => comparable('mine', output([1, NaN, 0, 0]), 4)).toThrow('mine answers with NaN');
    expect([...comparable('mine', output([0, 0, 0, 0]), 4)]).toEqual([0, 0, 0, 0]);
  });
});
