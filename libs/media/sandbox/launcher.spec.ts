import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLauncher } from './launcher.js';
import { runChild, type ChildRun } from './run-child.js';

const linux = process.platform === 'linux';
/** Parent processes are known on Linux only. */
const onLinux = linux ? it : it.skip;

async function run(more: Partial<ChildRun> & Pick<ChildRun, 'program' | 'args'>): Promise<string> {
  let output = '';
  const onOutput = (piece: Buffer): void => void (output += piece.toString());
  const end = await runChild({ doing: 'Trying', timeoutSeconds: 60, onOutput, ...more });
  expect(end).toMatchObject({ code: 0, killedBy: null });
  return output;
}

async function parentOf(pid: number | 'self'): Promise<number> {
  const stat = await (pid === 'self'
    ? run({ program: 'cat', args: ['/proc/self/stat'] })
    : readFile(`/proc/${pid}/stat`, 'utf8'));
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** An ended process may be a zombie until its parent reaps it. */
async function gone(pid: number): Promise<void> {
  const isAlive = async (): Promise<boolean> => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return stat !== '' && !stat.includes(') Z ');
  };
  while (await isAlive()) await sleep(10);
}

/** A child that prints its process id and does not end by itself. */
const STAYING = ['-c', 'echo $$; exec sleep 600'];

describe('a launcher', () => {
  let folder: string;
  let end: () => void;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-launching-'));
    end = await startLauncher(folder);
  });
  afterAll(async () => {
    end();
    await rm(folder, { recursive: true, force: true });
  });

  /** @hardening overload: Long work holds the event loop */
  onLinux('starts children in our place', async () => {
    const launcher = await parentOf('self');
    expect(launcher).not.toBe(process.pid);
    expect(await parentOf(launcher)).toBe(process.pid);
    expect(await parentOf('self')).toBe(launcher);
  });

  onLinux('has none of our secrets itself', async () => {
    const environment = await readFile(`/proc/${await parentOf('self')}/environ`, 'latin1');
    const names = environment.split('\0').flatMap((entry) => /^[^=]+/.exec(entry)?.[0] ?? []);
    const fine = [
      'PATH',
      'LC_ALL',
      'LD_LIBRARY_PATH',
      'MALLOC_ARENA_MAX',
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
    ];
    for (const name of names) expect(fine).toContain(name);
  });

  it('passes on every byte of many children at once, and the end of each', async () => {
    const sizes = Array.from({ length: 20 }, (_, i) => i * 300_000);
    const ends = await Promise.all(
      sizes.map(async (size, i) => {
        let bytes = 0;
        const { code, stderr } = await runChild({
          program: 'sh',
          args: ['-c', `head -c ${size} /dev/zero; echo wrong ${i} >&2; exit ${i}`],
          doing: 'Trying',
          timeoutSeconds: 60,
          onOutput: (piece) => void (bytes += piece.length),
        });
        return { bytes, code, stderr };
      }),
    );
    expect(ends).toEqual(sizes.map((bytes, i) => ({ bytes, code: i, stderr: `wrong ${i}\n` })));
  });

  it('stops a child on timeout, on abort, and when its output is refused', async () => {
    const forever = { program: 'sleep', args: ['600'] };
    await expect(run({ ...forever, timeoutSeconds: 0.1 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('deleted')), 50);
    await expect(run({ ...forever, signal: controller.signal })).rejects.toThrow('deleted');
    const onOutput = (): void => {
      throw new Error('too much');
    };
    await expect(run({ program: 'yes', args: [], onOutput })).rejects.toThrow('too much');
  });

  onLinux('ends a family with all that it started', async () => {
    const output = await run({ program: 'sh', args: ['-c', 'sleep 600 >/dev/null 2>&1 & echo $!'], family: true });
    await gone(Number(output));
    let other = '';
    const controller = new AbortController();
    const onOutput = (piece: Buffer): void => {
      other += piece.toString();
      controller.abort(new Error('deleted'));
    };
    // The child has ended by then, but its own child holds the pipes.
    const args = ['-c', 'sleep 600 & echo $!'];
    await expect(run({ program: 'sh', args, family: true, signal: controller.signal, onOutput })).rejects.toThrow(
      'deleted',
    );
    await gone(Number(other));
  });

  it('verifies which child a stream belongs to', async () => {
    const [directory = ''] = await readdir(folder);
    const address = join(folder, directory, 'socket');
    const tell = async (head: string): Promise<void> => {
      const socket = connect(address);
      // The engine may close the socket before all is written.
      socket.on('error', () => undefined);
      socket.end(head);
      socket.resume();
      await new Promise((resolve) => socket.on('close', resolve));
    };
    let output = '';
    const stopped = new AbortController();
    const child = run({
      program: 'sh',
      args: ['-c', 'echo begun; exec sleep 600'],
      signal: stopped.signal,
      onOutput: (piece) => void (output += piece.toString()),
    });
    const ended = expect(child).rejects.toThrow('deleted');
    while (output === '') await sleep(5);
    // The number of a run is easily guessed.
    for (let number = 0; number < 100; number++) await tell(`${number} ${'0'.repeat(32)} stdout\nfalse`);
    await tell('x'.repeat(100_000));
    stopped.abort(new Error('deleted'));
    await ended;
    expect(output).toBe('begun\n');
  });

  it('reports a missing program', async () => {
    const end = await runChild({ program: '/no/such/program', args: [], doing: 'Trying', timeoutSeconds: 60 });
    expect(end).toMatchObject({ code: 127 });
  });

  onLinux('that dies takes its children along, blames nobody, and is replaced', async () => {
    const launcher = await parentOf('self');
    const pids: number[] = [];
    const stay = (more: Partial<ChildRun> = {}): Promise<string> =>
      run({
        program: 'sh',
        args: STAYING,
        onOutput: (piece) => {
          if (pids.push(Number(piece.toString())) === 2) process.kill(launcher, 'SIGKILL');
        },
        ...more,
      });
    const unavailable = { code: 'UNAVAILABLE' };
    await Promise.all([
      expect(stay()).rejects.toMatchObject(unavailable),
      expect(stay({ family: true })).rejects.toMatchObject(unavailable),
    ]);
    await Promise.all(pids.map(gone));
    const next = await parentOf('self');
    expect(next).not.toBe(launcher);
    expect(await parentOf(next)).toBe(process.pid);
  });
});

describe('an engine', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-launching-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const start = async (directory: string): Promise<{ engine: ChildProcess; child: number; launcher: number }> => {
    const engine = fork(join(import.meta.dirname, '../testing/child-process.mjs'), [directory], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    });
    const ended = once(engine, 'exit').then(() => Promise.reject(new Error('The engine ended by itself.')));
    ended.catch(() => undefined);
    const [child] = (await Promise.race([once(engine, 'message'), ended])) as [number];
    return { engine, child, launcher: await parentOf(child) };
  };

  /** @hardening privacy: Child processes inherit secrets, files or the network */
  onLinux.each(['SIGKILL', 'SIGTERM'] as const)('ended by %s leaves neither launcher nor child', async (signal) => {
    const { engine, child, launcher } = await start(folder);
    expect(launcher).not.toBe(engine.pid);
    expect(await readdir(folder)).toHaveLength(1);
    engine.kill(signal);
    await Promise.all([gone(launcher), gone(child)]);
    expect(await readdir(folder)).toEqual([]);
  });

  onLinux('may have a work directory of any length', async () => {
    const { engine, child, launcher } = await start(join(folder, 'x'.repeat(200)));
    engine.kill('SIGKILL');
    await Promise.all([gone(launcher), gone(child)]);
  });

  onLinux('without room for another file gives no child streams that nobody reads', async () => {
    const program = join(import.meta.dirname, '../testing/out-of-files.mjs');
    const engine = spawn('prlimit', ['--nofile=256', process.execPath, program, folder], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    expect(await once(engine, 'message')).toEqual([['UNAVAILABLE', 0], undefined]);
  });
});
