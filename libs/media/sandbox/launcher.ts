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
import { MAX_HEAD_BYTES, TAKEN, type LauncherOrder, type LauncherReport, type StreamName } from './launcher-orders.js';
import { childEnvironment } from './child-environment.js';
import { startHere, type RunningChild, type StartChild } from './start-child.js';

const log = createLogger('launcher');
/** The program is compiled beside this file; when run from source, the build is used if there is one. */
const PROGRAM = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../dist/sandbox' : '',
  'launcher-process.js',
);
/** The launcher holds a few strings, and a small heap keeps its forks fast. */
const SMALL = ['--max-old-space-size=32', '--max-semi-space-size=1', '--v8-pool-size=0'];

/** A socket's path has at most 103 bytes on macOS, 107 on Linux. */
const MAX_DIRECTORY_BYTES = 103 - '/launcher-123456/socket'.length;

type ChildEnd = Awaited<RunningChild['ended']>;

interface Run {
  token: string;
  group: boolean;
  pid?: number;
  /** Readers of streams that are not open yet. */
  on: Partial<Record<StreamName, (piece: Buffer) => void>>;
  /** Streams that have not ended yet. */
  streams: number;
  end?: ChildEnd;
  resolve: (end: ChildEnd) => void;
  reject: (error: AditError) => void;
}

/**
 * A small process that starts children for this one. libuv forks, and a fork blocks the whole process, for 25 ms with
 * 500 MB in memory and longer with more. The children's output reaches this process directly, through sockets that the
 * launcher opens for them.
 *
 * Children end with the launcher, and the launcher with this process, however either ends. When the launcher dies, its
 * children throw UNAVAILABLE, and the next child gets another launcher.
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

  /** Starts a launcher. Throws INTERNAL when it does not start. @param directory for its socket; absolute */
  static async start(directory: string): Promise<Launcher> {
    const address = await placeSocket(directory);
    const server = createServer().listen(address).unref();
    await once(server, 'listening');
    const launcher = new Launcher(server, address);
    const child = launcher.fork();
    const failed = once(child, 'exit').then(() => {
      throw new AditError('INTERNAL', 'The process that starts media programs did not start.');
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
      // Without a launcher all children have ended.
      if (this.child !== null) this.send({ stop: run });
    };
    return { stop, ended };
  };

  /** Closes the launcher and kills running children. */
  close(): void {
    this.isClosed = true;
    this.server.close();
    this.lose();
    // A regular end removes the folder by itself.
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
      // A ready launcher does not keep the process alive by itself, only its runs do.
      if ('ready' in report) unref(child);
      else this.receive(report);
    });
    const gone = (why: object): void => {
      if (this.child !== child) return;
      log.error(why, 'the process that starts media programs has ended; the next program gets another one');
      this.lose();
    };
    child.on('error', (err) => gone({ err }));
    child.on('exit', (code, signal) => gone({ code, signal }));
    return child;
  }

  private send(order: LauncherOrder): void {
    if (this.isClosed) return this.lose();
    const child = this.child ?? this.fork();
    // A failed send shows in the end of the launcher.
    child.send(order, () => undefined);
  }

  private lose(): void {
    const runs = [...this.runs.values()];
    this.runs.clear();
    const { child } = this;
    this.child = null;
    if (child?.connected === true) child.disconnect();
    for (const { pid, group, reject } of runs) {
      // The kernel has killed the child where it supports that; it never kills grandchildren.
      killChild(pid, group);
      reject(new AditError('UNAVAILABLE', 'The process that starts media programs has ended.'));
    }
  }

  private receive(report: Exclude<LauncherReport, { ready: true }>): void {
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

  /** Takes a socket that the launcher opened: its first line names the stream. */
  private take(socket: Socket): void {
    let head = Buffer.alloc(0);
    const onHead = (piece: Buffer): void => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf(10);
      if (end < 0 && head.length < MAX_HEAD_BYTES) return;
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
    // An error also closes the socket.
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

/** Creates a private folder for the socket and returns the socket's path. */
async function placeSocket(directory: string): Promise<string> {
  const isShort = Buffer.byteLength(directory) <= MAX_DIRECTORY_BYTES;
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

/** Starts a program, by the launcher where there is one, else as a child of this process. */
export const startChild: StartChild = (start) => (launcher?.startChild ?? startHere)(start);

/**
 * Makes a launcher start all further children, for long-running processes. Call it while the process is small. Returns
 * a function that ends it; the last caller's function takes effect.
 * @param directory of this process alone, for a socket; absolute
 */
export async function startLauncher(directory: string): Promise<() => void> {
  // Windows has neither UNIX sockets here nor a slow fork.
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
