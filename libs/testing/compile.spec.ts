import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { compiled } from './compile.mjs';

it('says of a source that is wrong where, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adit-compile-'));
  const path = join(folder, 'wrong.ts');
  await writeFile(path, 'export const right = 1;\nconst wrong = = 3;\n');
  let thrown: unknown;
  try {
    compiled(path);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(SyntaxError);
  expect((thrown as SyntaxError).stack).toMatch(/^SyntaxError: .*Expression expected[^]*wrong\.ts:2:1[^]*const wrong/);
  expect((thrown as SyntaxError).stack).not.toMatch(/Stack backtrace|\n +at /);
  await rm(folder, { recursive: true });
});
