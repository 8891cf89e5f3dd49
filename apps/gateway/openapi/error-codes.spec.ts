import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '@adit/contracts';
import { expect, it } from '@jest/globals';

it('explains every code of an error, with its status and whether it is worth another try', () => {
  const page = readFileSync(new URL('../../../docs/api/errors.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` +\| +(\d+) \| (yes|no) +\|(.+)\|(.+)\|$/gm)].map(
    ([, code, status, again, meaning, remedy]) => {
      expect([meaning!.trim().length > 10, remedy!.trim().length > 5]).toEqual([true, true]);
      return [code, { status: Number(status), retryable: again === 'yes' }];
    },
  );
  const codes = Object.entries(ERROR_CODES).map(([code, { status, retryable }]) => [code, { status, retryable }]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(codes));
});
