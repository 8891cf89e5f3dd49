import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { killChild } from './kill-child.js';
import { streamHead, type LauncherOrder, type LauncherReport, type StreamName } from './launcher-orders.js';

/**
 * The program of `launcher.ts`: starts children for the engine and says how they ended. It imports nothing but Node's own, so
 * that it stays small: what a start costs grows with the memory of who starts.
 * Its argument is the socket on which the engine reads what children write.
 */
const [, , address = ''] = process.argv;
type Start = Extract<LauncherOrder, { run: number }>;
interface Running {
  group: boolean;
  isStopped: boolean;
  hasEnded: boolean;
  pid?: number;
  /** Gives up the streams that wait for the engine. */
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
    // Together: each waits for the engine's next turn.
    const [stderr, stdout] = await Promise.all([open('stderr'), output ? open('stdout') : ('ignore' as const)]);
    const [program, ...args] = words;
    const child = spawn(program, args, { stdio: ['ignore', stdout, stderr], env, detached: group });
    child.on('error', ({ message }) => fail({ failure: message }));
    child.on('exit', (code, killedBy) => {
      own.hasEnded = true;
      // What a group's leader started may outlive it, until the engine has the group stopped.
      if (!group || own.isStopped) running.delete(run);
      report({ run, code, killedBy });
    });
    if (child.pid === undefined) return;
    own.pid = child.pid;
    // The child has them now; its end has to be theirs.
    close();
    report({ run, pid: child.pid });
    if (own.isStopped) killChild(own.pid, group);
  } catch (error) {
    fail({ unavailable: error instanceof Error ? error.message : String(error) });
  }
}

/**
 * The socket, once the engine has said that it reads it. One with too many open files closes it unseen: a child that wrote to
 * that would end and nobody would ever notice.
 */
function taken(socket: Socket, head: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The engine has no room for what it writes.')));
    socket.once('data', () => resolve(socket));
    // Before the child has it: nothing of the child's comes first.
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
  // Nobody is left to hear it, or `end` follows.
  process.send?.(said, () => undefined);
}

process.on('message', (order: LauncherOrder) => {
  if ('stop' in order) stop(order.stop);
  else void start(order);
});
/** The engine has ended, in whatever way: nothing that it wanted is wanted any more. */
function end(): never {
  for (const { pid, group } of running.values()) killChild(pid, group);
  rmSync(dirname(address), { recursive: true, force: true });
  process.exit();
}

process.on('disconnect', end);
// A terminal's signals reach all of its processes; the engine decides when this one ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
if (process.connected) report({ ready: true });
else end();
