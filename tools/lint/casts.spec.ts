import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isShipped, placesIn, saidByHand } from './casts.mjs';

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
    const shipped = [
      'apps/cli/commands/start/serve.ts',
      'apps/console/editor/views/app.tsx',
      'libs/testing-ground/a.ts',
    ];
    const others = [
      'apps/cli/commands/start/serve.spec.ts',
      'libs/bus/conformance.ts',
      'libs/testing/a.ts',
      'apps/x/e2e/a.ts',
      'tools/a.ts',
    ];
    expect([...shipped, ...others].filter(isShipped)).toEqual(shipped);
  });

  it('is looked for in the files that are there, new ones too', () => {
    const folder = mkdtempSync(join(tmpdir(), 'adit-casts-'));
    try {
      const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
      mkdirSync(join(folder, 'libs'));
      const write = (name: string) => writeFileSync(join(folder, 'libs', name), 'const a = 1;\nconst b = a!;\n');
      git('init', '-q');
      ['kept.ts', 'removed.ts'].forEach(write);
      git('add', '.');
      rmSync(join(folder, 'libs/removed.ts'));
      write('new.ts');
      const { casts, assertions } = placesIn(folder);
      expect([casts, assertions.sort()]).toEqual([[], ['libs/kept.ts:2', 'libs/new.ts:2']]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
