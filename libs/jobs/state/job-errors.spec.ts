import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lastThatFit, sourceError, withErrors, withLastErrors } from './job-errors.js';

describe('errors of a job', () => {
  it('name the reason, however long the address is', () => {
    const error = sourceError(`https://example.org/${'a'.repeat(4_000)}`, 'the server answers 404');
    expect(error).toMatch(/^https:\/\/example\.org\/a+…: the server answers 404$/);
    expect(Buffer.byteLength(error)).toBeLessThan(500);
  });

  it('name each once, and after a hundred say that there are more', () => {
    expect(withErrors(['a'], ['a', 'b', 'b'])).toEqual(['a', 'b']);
    expect(withErrors(['a'], ['a'])).toBeNull();
    const many = withErrors(
      [],
      Array.from({ length: 200 }, (_, index) => `error ${index}`),
    )!;
    expect(many).toHaveLength(100);
    expect(many.at(-1)).toBe('Further errors are left out.');
    expect(withErrors(many, ['one more'])).toBeNull();
  });

  it('are extended in place, as long as they fit', () => {
    const saysLess = (known: string) => known.startsWith('film: ');
    expect(withErrors(['a', 'film: 1', 'b'], ['film: 1, 2'], saysLess)).toEqual(['a', 'film: 1, 2', 'b']);
    expect(withErrors(['a', 'film: 1, 2'], ['film: 1, 2'], saysLess)).toBeNull();
    const full = withErrors([], ['film: 1', ...Array.from({ length: 70 }, (_, at) => `${at}${'x'.repeat(1_390)}`)])!;
    expect(withErrors(full, [`film: ${'1, '.repeat(1_000)}`], saysLess)).toBeNull();
  });

  /** @hardening jobs: One message that cannot be sent stops all publishing */
  it('always fit a message', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3_000 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 150 }), fc.array(text, { maxLength: 150 }), (first, then) => {
        const before = withErrors([], first) ?? [];
        const after = withErrors(before, then) ?? before;
        expect(after.length).toBeLessThanOrEqual(100);
        expect(Buffer.byteLength(JSON.stringify(after))).toBeLessThanOrEqual(97 * 1024);
      }),
      { numRuns: 50 },
    );
    const worst = Array.from({ length: 100 }, (_, index) => `${index}${'"'.repeat(2_000)}`);
    expect(Buffer.byteLength(JSON.stringify(withErrors([], worst)))).toBeLessThanOrEqual(97 * 1024);
  });

  it('are the last thousand of a live stream', () => {
    const named = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `error ${from + at}`);
    expect(withLastErrors(named(0, 999), ['error 999', 'error 999', 'error 1000'])).toEqual(named(1, 1001));
    expect(withLastErrors(['a'], ['a'])).toBeNull();
    const saysLess = (known: string) => known.startsWith('film: ');
    expect(withLastErrors(['film: 1', 'b'], ['film: 1, 2'], saysLess)).toEqual(['b', 'film: 1, 2']);
    const long = Array.from({ length: 1_200 }, (_, at) => `${at} ${'x'.repeat(1_390)}`);
    const kept = withLastErrors([], long)!;
    expect(kept).toEqual(long.slice(-kept.length));
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(257 * 1024);
    expect(Buffer.byteLength(JSON.stringify(lastThatFit(kept)))).toBeLessThanOrEqual(97 * 1024);
  });
});
