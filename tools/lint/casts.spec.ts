import { describe, expect, it } from '@jest/globals';
import { isShipped, saidByHand } from './casts.mjs';

describe('what is said by hand instead of by types', () => {
  it('is every cast and assertion, and nothing that looks like one', () => {
    const text = [
      `import { a as b } from './a.js';`,
      `const one = b as unknown as string;`,
      `const two = ['x'] as const;`,
      `const three = { four: one! }.four!;`,
      `const five = <number>b, six = one satisfies string, seven = !one, eight = one != 'as';`,
    ].join('\n');
    expect(saidByHand('a.ts', text)).toEqual({ casts: [2, 2, 5], assertions: [4, 4] });
    expect(saidByHand('a.tsx', `const a = <b>{c as string}</b>;`)).toEqual({ casts: [1], assertions: [] });
  });

  it('counts in what is shipped', () => {
    const shipped = ['apps/cli/serve.ts', 'apps/console/editor/views/app.tsx', 'libs/testing-ground/a.ts'];
    const others = [
      'apps/cli/serve.spec.ts',
      'libs/bus/conformance.ts',
      'libs/testing/a.ts',
      'apps/x/e2e/a.ts',
      'tools/a.ts',
    ];
    expect([...shipped, ...others].filter(isShipped)).toEqual(shipped);
  });
});
