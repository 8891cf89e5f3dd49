import { expect, it } from '@jest/globals';
import { bytesText } from './bytes.js';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [1_250_000, '1.3 MB'],
  [734_003_200, '734 MB'],
  [1_500_000_000, '1.5 GB'],
  [2e18, '2,000 PB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes, 'en')).toBe(text);
});

it('has the signs of the language', () => {
  expect(bytesText(1_500_000_000, 'de')).toBe('1,5 GB');
});
