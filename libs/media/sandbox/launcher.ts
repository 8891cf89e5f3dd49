import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { killChild } from './kill-child.js';
import { MOST_HEAD_BYTES, TAKEN, type LauncherOrder, type LauncherReport, type StreamName } from './launcher-orders.js';
import { childEnvironment } from './child-environment.js';
import { startHere, type RunningChild, type StartChild } from './start-child.js';

const log = createLogger('launcher');
/** Compiled beside this file. Source runs from the build, if there is one. */
const PROGRAM = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../dist/sandbox' : '',
  'launcher-process.js',
);
/** It holds a few strings: little for its heap keeps it small. */
const SMALL = ['--max-old-space-size=32', '--max-semi-space-size=1', '--v8-pool-size=0'];

/** A socket's path has at most 103 bytes on macOS, 107 on Linux. */
const MOST_DIRECTORY_BYTES = 103 - '/launcher-123456/socket'.length;

type ChildEnd = Awaited<RunningChild['ended']>;

interface Run {
  token: string;
  group: boolean;
  pid?: number;
  /** Who reads a stream that is not open yet. */
  on: Partial<Record<StreamName, (piece: Buffer) => void>>;
  /** Streams that have not ended yet. */
  streams: number;
  end?: ChildEnd;
  resolve: (end: ChildEnd) => void;
  reject: (error: AditError) => void;
}

/**
 * A small process that starts children for this one. libuv forks: to start a program holds up everything else in the process
 * that does it, by 25 ms where that has 500 MB in memory and the longer the more it has. What children write comes to this
 * process directly, through sockets that the launcher opens and gives to them.
 *
 * Children end with the launcher, and it with this process, however either ends. When it dies, what it had started throws
 * UNAVAILABLE, and the next child gets another launcher.
 */
export class Launcher {
  private child: ChildProcess | null = null;
  private readonly runs = new Map<number, Run>();
  private count = 0;
  private isClosed = false;

  private constructor(
    private readonly server: Server,
    private readonly address: string,
  ) {
    server.on('connection', (socket) => this.take(socket));
  }

  /** Throws INTERNAL when it does not start. @param directory where its socket may lie; absolute */
  static async start(directory: string): Promise<Launcher> {
    const address = await placeSocket(directory);
    const server = createServer().listen(address).unref();
    await once(server, 'listening');
    const launcher = new Launcher(server, address);
    const child = launcher.fork();
    const failed = once(child, 'exit').then(() => {
      throw new AditError('INTERNAL', 'The process that starts programs over media does not start.');
    });
    try {
      await Promise.race([once(child, 'message'), failed]);
      return launcher;
    } catch (error) {
      launcher.close();
      throw error;
    }
  }

  readonly startChild: StartChild = ({ words, env, group, onOutput, onErrorText }) => {
    const run = ++this.count;
    const token = randomBytes(16).toString('hex');
    const order: LauncherOrder = { run, token, words, env, group, output: onOutput !== undefined };
    const ended = new Promise<ChildEnd>((resolve, reject) => {
      const on = { stdout: onOutput, stderr: onErrorText };
      this.runs.set(run, { token, group, on, streams: order.output ? 2 : 1, resolve, reject });
    });
    this.send(order);
    const stop = (): void => {
      // With a launcher its children have ended.
      if (this.child !== null) this.send({ stop: run });
    };
    return { stop, ended };
  };

  /** What still runs is killed. */
  close(): void {
    this.isClosed = true;
    this.server.close();
    this.lose();
    // One that ends as it should does that itself.
    rm(dirname(this.address), { recursive: true, force: true }).catch(() => undefined);
  }

  private fork(): ChildProcess {
    const child = fork(PROGRAM, [this.address], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: childEnvironment(),
      execArgv: SMALL,
    });
    this.child = child;
    child.on('message', (report: LauncherReport) => {
      // From now on nobody waits for it, but for what it does.
      if ('ready' in report) unref(child);
      else this.hear(report);
    });
    const gone = (why: object): void => {
      if (this.child !== child) return;
      log.error(why, 'the process that starts programs over media has ended; the next one gets another');
      this.lose();
    };
    child.on('error', (err) => gone({ err }));
    child.on('exit', (code, signal) => gone({ code, signal }));
    return child;
  }

  private send(order: LauncherOrder): void {
    if (this.isClosed) return this.lose();
    const child = this.child ?? this.fork();
    // What could not be said is noticed by the end of the launcher.
    child.send(order, () => undefined);
  }

  private lose(): void {
    const runs = [...this.runs.values()];
    this.runs.clear();
    const { child } = this;
    this.child = null;
    if (child?.connected === true) child.disconnect();
    for (const { pid, group, reject } of runs) {
      // The kernel has ended it, where it does that; never what it started in turn.
      killChild(pid, group);
      reject(new AditError('UNAVAILABLE', 'The process that starts programs over media has ended.'));
    }
  }

  private hear(report: Exclude<LauncherReport, { ready: true }>): void {
    const run = this.runs.get(report.run);
    if (run === undefined) return;
    if ('pid' in report) run.pid = report.pid;
    else if ('failure' in report) this.end(report.run, { neverStarted: report.failure });
    else if ('unavailable' in report) {
      this.runs.delete(report.run);
      run.reject(new AditError('UNAVAILABLE', report.unavailable));
    } else {
      run.end = { code: report.code, killedBy: report.killedBy };
      this.endWhenRead(report.run, run);
    }
  }

  /** A socket that the launcher opened: its first line says what comes through it. */
  private take(socket: Socket): void {
    let head = Buffer.alloc(0);
    const onHead = (piece: Buffer): void => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf(10);
      if (end < 0 && head.length < MOST_HEAD_BYTES) return;
      socket.off('data', onHead);
      const [number = '', token = '', name = ''] = head.toString('latin1', 0, end).split(' ');
      const run = this.runs.get(Number(number));
      const onPiece = run?.token === token && isStream(name) ? run.on[name] : undefined;
      if (run === undefined || onPiece === undefined || !isStream(name)) return void socket.destroy();
      delete run.on[name];
      if (head.length > end + 1) onPiece(head.subarray(end + 1));
      socket.on('data', onPiece);
      socket.on('close', () => {
        run.streams--;
        this.endWhenRead(Number(number), run);
      });
      socket.write(TAKEN);
    };
    socket.on('data', onHead);
    // It closes as well.
    socket.on('error', () => undefined);
  }

  private endWhenRead(number: number, run: Run): void {
    if (run.end !== undefined && run.streams === 0) this.end(number, run.end);
  }

  private end(number: number, end: ChildEnd): void {
    this.runs.get(number)?.resolve(end);
    this.runs.delete(number);
  }
}

function isStream(name: string): name is StreamName {
  return name === 'stdout' || name === 'stderr';
}

/** A path for it in a folder of its own, which only this user may enter. */
async function placeSocket(directory: string): Promise<string> {
  const isShort = Buffer.byteLength(directory) <= MOST_DIRECTORY_BYTES;
  if (isShort) await mkdir(directory, { recursive: true, mode: 0o700 });
  return join(await mkdtemp(join(isShort ? directory : tmpdir(), 'launcher-')), 'socket');
}

function unref(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

let launcher: Launcher | null = null;
let starting: Promise<Launcher> | null = null;
let users = 0;

/** Starts a program: by the launcher where there is one, else as a child of this process. */
export const startChild: StartChild = (start) => (launcher?.startChild ?? startHere)(start);

/**
 * Has a launcher start children from now on, for a process that works for others all the time. It asks for it while it is
 * small itself. The last of those who asked ends it, by the function that they get.
 * @param directory of this process alone, for a socket; absolute
 */
export async function startLauncher(directory: string): Promise<() => void> {
  // Windows has neither such sockets nor a fork that is slow.
  if (process.platform === 'win32' || !existsSync(PROGRAM)) return () => undefined;
  users++;
  const leave = (): void => {
    if (--users > 0) return;
    launcher?.close();
    launcher = starting = null;
  };
  try {
    starting ??= Launcher.start(directory);
    launcher = await starting;
    return leave;
  } catch (error) {
    leave();
    throw error;
  }
}
