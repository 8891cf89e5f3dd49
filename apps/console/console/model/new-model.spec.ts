import { describe, expect, it } from '@jest/globals';
import { nameFor, questionsIn } from './new-model.js';

describe('a new model', () => {
  it.each([
    ['best.onnx', 'best'],
    ['Best Helmets (v2).onnx', 'best-helmets-v2'],
    ['Größe.ZIP', 'gr-e'],
    ['a.tar.gz', 'a'],
    ['…', ''],
  ])('%s is called %s', (filename, name) => {
    expect(nameFor(filename)).toBe(name);
  });

  it('is asked about what the service points at', () => {
    const errors = [
      { pointer: '/colour', message: 'rgb or bgr?' },
      { pointer: '/name', message: 'taken' },
      { pointer: '/mean', message: 'which?' },
    ];
    expect(questionsIn(errors)).toEqual([
      { answer: 'colour', message: 'rgb or bgr?' },
      { answer: 'mean', message: 'which?' },
    ]);
  });
});
