import { fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { RUNNABLE_FLAGS, runnable } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { untilInterrupted } from '../engine/interrupt.js';
import { EXIT_READER_GONE } from './reader-gone.js';

/** Runs the command line with nobody at the other end of its output; answers its exit code and what it complained of. */
async function unread(args: string[], streams: ('stdout' | 'stderr')[]): Promise<[code: number | null, said: string]> {
  const child = fork(runnable('../main.ts', import.meta.url), args, {
    execArgv: [...RUNNABLE_FLAGS],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    cwd: tmpdir(),
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  for (const stream of streams) child[stream]!.destroy();
  const said = streams.includes('stderr') ? '' : text(child.stderr!);
  const [code] = (await once(child, 'exit')) as [number | null];
  return [code, await said];
}

describe('a command whose reader has gone', () => {
  it.each([[['doctor']], [['completion', 'bash']], [['model', 'list']]])(
    'ends without a word: adit %j',
    async (args) => {
      expect(await unread(args, ['stdout'])).toEqual([EXIT_READER_GONE, '']);
    },
  );

  it('ends too when what it complains of is read by nobody', async () => {
    expect(await unread(['mine', '/nowhere/film.mp4'], ['stdout', 'stderr'])).toEqual([EXIT_READER_GONE, '']);
  });

  it('a command is told once, so that it can put its things in order', () => {
    const before = process.listenerCount('SIGPIPE');
    const { signal, release } = untilInterrupted();
    process.emit('SIGPIPE');
    expect(signal.aborted).toBe(true);
    release();
    expect(process.listenerCount('SIGPIPE')).toBe(before);
  });
});
