import { describe, expect, it } from '@jest/globals';
import { formOf } from './request.js';

describe('the fields of a form', () => {
  it('fields are text, objects as JSON, and lists a part for each element', async () => {
    const data = [new File(['1'], 'best.onnx.data'), new File(['2'], 'more.data')];
    const form = formOf({ version: 2, arguments: { min_confidence: 0, words: ['cat'] }, left: undefined, data });
    expect([...form.keys()]).toEqual(['version', 'arguments', 'data', 'data']);
    expect(form.get('version')).toBe('2');
    expect(JSON.parse(String(form.get('arguments')))).toEqual({ min_confidence: 0, words: ['cat'] });
    expect(form.getAll('data').map((file) => (file instanceof File ? file.name : file))).toEqual([
      'best.onnx.data',
      'more.data',
    ]);
  });
});
