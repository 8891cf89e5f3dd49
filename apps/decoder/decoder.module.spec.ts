import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { RUNNABLE_FLAGS, runnable } from '@adit/testing';
import { expect, it } from '@jest/globals';

/** Starts a decoder and ends it. */
const PROGRAM = `
  import 'reflect-metadata';
  import { DecoderModule } from '${pathToFileURL(runnable('./decoder.module.ts', import.meta.url)).href}';
  const decoder = new DecoderModule(process.argv[1]);
  await decoder.onModuleInit();
  decoder.onApplicationShutdown();`;

/** Simulates a machine with only the programs of `path`. */
async function started(path: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'adit-decoder-'));
  try {
    const args = [...RUNNABLE_FLAGS, '--input-type=module', '-e', PROGRAM, folder];
    const env = { ...process.env, PATH: path, NODE_OPTIONS: '', ADIT_LOG_LEVEL: 'warn' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: import.meta.dirname });
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => {
      const { level, name, msg } = JSON.parse(line) as Record<string, string>;
      return `${level} ${name} ${msg?.split(':')[0]}`;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @hardening privacy: Child processes inherit secrets, files or the network */
it('the decoder logs missing confinement of children once at its start', async () => {
  expect(await started('/nowhere')).toEqual([
    'warn decoder ffmpeg and ffprobe share the network',
    'warn decoder ffmpeg and ffprobe have no limits of memory, CPU and files',
    'warn decoder ffmpeg outlives an engine that is killed',
  ]);
}, 120_000);
