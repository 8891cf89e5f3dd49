import { expect, it } from '@jest/globals';
import { bytesText } from './bytes.js';

it.each([
  [0, 'en', '0 byte'],
  [999, 'en', '999 byte'],
  [1_000, 'en', '1 kB'],
  [1_500_000_000, 'en', '1.5 GB'],
  [1_500_000_000, 'de', '1,5 GB'],
  [5e18, 'en', '5,000 PB'],
])('%d bytes in %s are %s', (bytes, locale, text) => {
  expect(bytesText(bytes, locale).replace(/\s/g, ' ')).toBe(text);
});
