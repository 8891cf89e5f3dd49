import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shortened } from './shortened.js';

describe('shortened', () => {
  it('keeps whole words and says that something is missing', () => {
    expect(shortened('the film has no picture', 100)).toBe('the film has no picture');
    expect(shortened('the film has no picture', 15)).toBe('the film has…');
    expect(shortened('the film has no picture', 18)).toBe('the film has no…');
    expect(shortened('x'.repeat(50), 10)).toBe('xxxxxxx…');
  });

  it('leaves out what a database or a terminal stumbles over', () => {
    expect(shortened('a\u0000b\r\n\tc\u001b[31m\ud800d', 100)).toBe('a b c [31m\ufffdd');
  });

  it('never has more bytes than it may, never half a character, and begins as the text does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer({ min: 3, max: 60 }), (text, most) => {
        const short = shortened(text, most);
        expect(Buffer.byteLength(short)).toBeLessThanOrEqual(most);
        expect(Buffer.from(short).toString()).toBe(short);
        const clean = shortened(text, 10_000);
        if (short !== clean) expect(clean.startsWith(short.slice(0, -1))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
