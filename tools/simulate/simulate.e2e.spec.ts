/** @needs build, servers, time */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeWith } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { readOptions } from './options.mjs';

await describeWith(['postgres'], 'the simulation of an installation, its short form', ({ postgres }) => {
  /** @hardening jobs: Nothing is lost or doubled while workers die, and the others have work */
  it('keeps its workers at work, and loses and doubles nothing while a tenth of them die', async () => {
    const file = fileURLToPath(new URL('run.mjs', import.meta.url));
    const env = { ...process.env, DATABASE_URL: postgres.url };
    // It fails where a goal is missed.
    const { stdout } = await promisify(execFile)(process.execPath, [file, '--quick'], { env });
    expect(stdout).toMatch(/completed jobs with a chunk lost or doubled: 0/);
  });

  it('asks its database little while there is nothing to do', async () => {
    const file = fileURLToPath(new URL('run.mjs', import.meta.url));
    const env = { ...process.env, DATABASE_URL: postgres.url };
    const { stdout } = await promisify(execFile)(process.execPath, [file, '--quick', '--idle'], { env });
    expect(stdout).toMatch(/^ok +statements of each of 19 idle processes in a minute/m);
  });

  it.each([
    [['--workers', 'many'], /--workers takes a whole number/],
    [['--events', 'deaths,rain'], /There is no event rain; there are deaths/],
  ])('refuses %j with what is wrong', (args, sentence) => {
    expect(() => readOptions(args)).toThrow(sentence);
  });
});
