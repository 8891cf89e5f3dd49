import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { killChild } from './kill-child.js';
import { streamHead, type LauncherOrder, type LauncherReport, type StreamName } from './launcher-orders.js';

/**
 * Program of `launcher.ts`: starts children for the engine and reports how they ended. It imports only Node modules to
 * stay small, because the cost of a fork grows with the memory of the parent. Its argument is the socket on which the
 * engine reads the children's output.
 */
const [, , address = ''] = process.argv;
type Start = Extract<LauncherOrder, { run: number }>;
interface Running {
  group: boolean;
  isStopped: boolean;
  hasEnded: boolean;
  pid?: number;
  /** Closes the streams that wait for the engine. */
  close: () => void;
}
const running = new Map<number, Running>();

async function start({ run, token, words, env, output, group }: Start): Promise<void> {
  const sockets: Socket[] = [];
  const close = (): void => sockets.forEach((socket) => void socket.destroy());
  const own: Running = { group, isStopped: false, hasEnded: false, close };
  running.set(run, own);
  const fail = (why: { failure: string } | { unavailable: string }): void => {
    running.delete(run);
    close();
    report({ run, ...why });
  };
  const open = (name: StreamName): Promise<Socket> => {
    const socket = connect(address);
    sockets.push(socket);
    return taken(socket, streamHead(run, token, name));
  };
  try {
    // Both are opened together, since each waits for the engine's event loop.
    const [stderr, stdout] = await Promise.all([open('stderr'), output ? open('stdout') : ('ignore' as const)]);
    const [program, ...args] = words;
    const child = spawn(program, args, { stdio: ['ignore', stdout, stderr], env, detached: group });
    child.on('error', ({ message }) => fail({ failure: message }));
    child.on('exit', (code, killedBy) => {
      own.hasEnded = true;
      // Members of a group may outlive its leader, until the engine stops the group.
      if (!group || own.isStopped) running.delete(run);
      report({ run, code, killedBy });
    });
    if (child.pid === undefined) return;
    own.pid = child.pid;
    // The child owns the streams now.
    close();
    report({ run, pid: child.pid });
    if (own.isStopped) killChild(own.pid, group);
  } catch (error) {
    fail({ unavailable: error instanceof Error ? error.message : String(error) });
  }
}

/**
 * Returns the socket once the engine has acknowledged it. An engine with too many open files closes it unseen, and the
 * loss of a child's output would go unnoticed.
 */
function taken(socket: Socket, head: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The engine cannot open another stream.')));
    socket.once('data', () => resolve(socket));
    // The head is written before the child gets the socket, so nothing of the child's precedes it.
    socket.write(head);
  });
}

function stop(run: number): void {
  const own = running.get(run);
  if (own === undefined) return;
  own.isStopped = true;
  if (own.pid === undefined) own.close();
  else killChild(own.pid, own.group);
  if (own.hasEnded) running.delete(run);
}

function report(said: LauncherReport): void {
  // A failed send means that the parent is gone or that `end` follows.
  process.send?.(said, () => undefined);
}

process.on('message', (order: LauncherOrder) => {
  if ('stop' in order) stop(order.stop);
  else void start(order);
});
/** Stops all children: the engine has ended, and nothing it started is needed any more. */
function end(): never {
  for (const { pid, group } of running.values()) killChild(pid, group);
  rmSync(dirname(address), { recursive: true, force: true });
  process.exit();
}

process.on('disconnect', end);
// Terminal signals reach the whole group; the engine decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
if (process.connected) report({ ready: true });
else end();
