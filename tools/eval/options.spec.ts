import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { optionsOf, PARTS, USAGE } from './options.mjs';

const run = promisify(execFile);
const evaluation = (...args: string[]) => run(process.execPath, [join(import.meta.dirname, 'run.mjs'), ...args]);

describe('the command line of the evaluation', () => {
  it('measures what needs nothing fetched, or the parts that are named, in the order of the table', () => {
    const usual = optionsOf([]);
    expect(usual).toEqual({
      parts: ['faces', 'objects', 'landmarks', 'people', 'captions', 'speech', 'speakers', 'search'],
      ...{ peers: false, float16: false, heldBack: false },
    });
    expect(optionsOf(['--only', 'cuts,faces', '--held-back', '--peers'])).toMatchObject({
      ...{ parts: ['faces', 'cuts'], peers: true, heldBack: true },
    });
  });

  it.each([
    ['--only=walls,faces', 'There is no part walls.'],
    ['--all', "Unknown option '--all'"],
    ['faces', "Unexpected argument 'faces'"],
  ])('says what is wrong with %s, and what there is', (given, what) => {
    const { said, exitCode } = optionsOf([given]);
    expect(said).toContain(what);
    expect(said).toContain(USAGE);
    expect(exitCode).toBe(2);
    for (const { name } of PARTS) expect(USAGE).toContain(`\n    ${name} `);
  });

  it('is read before anything is measured', async () => {
    expect((await evaluation('--help')).stdout.trim()).toBe(USAGE);
    await expect(evaluation('--all')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(USAGE) });
  });
});
