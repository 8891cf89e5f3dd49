// One server as an operating system process: started until it is ready, stopped by its pid, startable again.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const GRACE_MS = 10_000;
const POLL_MS = 40;

/** Keeps a guard process that ends the servers when this process ends without having done so. */
export class Guard {
  #process;

  constructor() {
    this.#process = spawn(process.execPath, [new URL('./guard.mjs', import.meta.url).pathname], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#process.on('error', () => undefined);
    this.#process.stdin.on('error', () => undefined);
    // Neither the process nor the pipe keeps the owner alive.
    this.#process.unref();
    this.#process.stdin.unref();
  }

  notify(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  dismiss() {
    this.#process.stdin.end();
  }
}

export class ServerProcess {
  #options;
  #child = null;
  #ended = null;

  /**
   * `command` and `args` run with `env` in `folder`, as `user` ({uid, gid}) when given. `ready` gets the
   * server's output since its start until it answers true, for `readyWithinMs`. Everything it writes goes to `log`.
   * A start that ends with words that match `notYet` is tried again within that time. After it has ended, `gone` is asked
   * until it answers true: children may outlive it for a moment.
   */
  constructor(options) {
    this.#options = { stopSignal: 'SIGTERM', readyWithinMs: 300_000, gone: () => true, ...options };
  }

  get name() {
    return this.#options.name;
  }

  get pid() {
    return this.#child?.pid ?? null;
  }

  get logFile() {
    return this.#options.log;
  }

  /** Resolves once the server answers. Throws with the last lines of its log when it does not. */
  async start() {
    const { readyWithinMs, notYet } = this.#options;
    const deadline = Date.now() + readyWithinMs;
    while (this.#child === null) {
      try {
        return await this.#launch(deadline);
      } catch (error) {
        if (!notYet?.test(error.message) || Date.now() > deadline) throw error;
        await sleep(POLL_MS);
      }
    }
  }

  async #launch(deadline) {
    const { command, args, env, folder, user, log, ready, readyWithinMs, stopSignal, guard } = this.#options;
    const from = sizeOf(log);
    const output = openSync(log, 'a');
    // A group of its own: Ctrl-C on the terminal is for the owner, who stops servers in order.
    const child = spawn(command, args, {
      env,
      cwd: folder,
      ...user,
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    this.#child = child;
    let ending = null;
    this.#ended = new Promise((resolve) => {
      const end = (why) => {
        ending ??= why;
        if (child.pid !== undefined) guard.notify({ forget: child.pid });
        if (this.#child === child) this.#child = null;
        resolve();
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    });
    if (child.pid !== undefined) guard.notify({ watch: { pid: child.pid, signal: stopSignal } });

    while (ending === null) {
      if (await ready(textFrom(log, from))) {
        child.unref();
        return;
      }
      if (Date.now() > deadline) {
        await this.kill();
        ending = `not ready within ${readyWithinMs / 1000} s`;
      } else await sleep(POLL_MS);
    }
    const last = textFrom(log, from).trimEnd().split('\n').slice(-12).join('\n  ');
    throw new Error(`${this.name} did not start (${ending}).${last === '' ? '' : `\n  ${last}`}`);
  }

  /** Asks the server to end and waits; after the grace it is killed. The data stay. */
  async stop(graceMs = GRACE_MS) {
    await this.#end(this.#options.stopSignal, graceMs);
  }

  /** Sends SIGKILL, as a power cut would. The data stay. */
  async kill() {
    await this.#end('SIGKILL', GRACE_MS);
  }

  /** Ends it; its data go with its folder. */
  async dispose() {
    await this.stop();
  }

  async #end(signal, graceMs) {
    const child = this.#child;
    if (child === null) return;
    child.ref();
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await this.#ended;
    clearTimeout(timer);
    const deadline = Date.now() + graceMs;
    while (!(await this.#options.gone()) && Date.now() < deadline) await sleep(POLL_MS);
  }
}

function sizeOf(file) {
  try {
    return readFileSync(file).length;
  } catch {
    return 0;
  }
}

function textFrom(file, offset) {
  return readFileSync(file).subarray(offset).toString('utf8');
}
