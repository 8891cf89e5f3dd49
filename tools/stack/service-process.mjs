// One service as an operating system process: its log line by line, its probes, and its restart when it dies.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;
/** Deaths in a row after which nobody waits for it to be ready. */
const HOPELESS = 5;
/** As containers are: at once the first time, then later and later. */
const RESTART_MS = { first: 200, most: 5_000, forgetAfter: 60_000 };

/**
 * @typedef {object} ServicePlan
 * @property {string} name Name of the service, with a number when there are several: `decoder`, `decoder-2`.
 * @property {string[]} args Arguments of Node: the program with its options before it.
 * @property {Record<string, string | undefined>} environment
 * @property {string} probe Address whose paths /healthz and /readyz answer.
 */

export class ServiceProcess {
  #plan;
  #onLine;
  #guard;
  #child = null;
  #ended = null;
  #wanted = false;
  #deaths = 0;
  #startedAt = 0;

  /**
   * @param {ServicePlan} plan
   * @param {(name: string, line: string) => void} onLine Told every line it writes.
   * @param {import('../servers/server-process.mjs').Guard} guard Ends it should this process die.
   */
  constructor(plan, onLine, guard) {
    this.#plan = plan;
    this.#onLine = onLine;
    this.#guard = guard;
  }

  get name() {
    return this.#plan.name;
  }

  /** Address of its probes; of the gateway also of its API. */
  get address() {
    return this.#plan.probe;
  }

  /** @returns {number | null} */
  get pid() {
    return this.#child?.pid ?? null;
  }

  /** Number of ends that nobody asked for. */
  get deaths() {
    return this.#deaths;
  }

  /** Sets the program from the next start on: as `args` of its plan. */
  set program(args) {
    this.#plan = { ...this.#plan, args };
  }

  start() {
    this.#wanted = true;
    if (this.#child !== null) return;
    const { args, environment } = this.#plan;
    const child = spawn(process.execPath, args, {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C on the terminal is for the owner, who stops all in order.
      detached: true,
    });
    this.#child = child;
    this.#startedAt = Date.now();
    if (child.pid !== undefined) this.#guard.notify({ watch: { pid: child.pid, signal: 'SIGKILL' } });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => this.#onLine(this.name, line));
    }
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => this.#onLine(this.name, error.message));
      child.once('close', (code, signal) => {
        this.#child = null;
        if (child.pid !== undefined) this.#guard.notify({ forget: child.pid });
        resolve();
        if (this.#wanted) void this.#restart(signal ?? `exit code ${code}`);
      });
    });
  }

  /** Resolves once its dependencies answer and it takes work. Throws after `seconds`, or when it cannot even start. */
  async ready(seconds = 300) {
    const deaths = this.#deaths;
    for (const end = Date.now() + seconds * 1000; !(await this.probe('/readyz')); await sleep(POLL_MS)) {
      if (this.#deaths >= deaths + HOPELESS) throw new Error(`${this.name} ends again and again; its log says why.`);
      if (Date.now() > end) throw new Error(`${this.name} is not ready after ${seconds} s.`);
    }
  }

  /** True when the path answers with success. */
  async probe(path) {
    try {
      return (await fetch(`${this.address}${path}`, { signal: AbortSignal.timeout(5_000) })).ok;
    } catch {
      return false;
    }
  }

  /** SIGKILL; it is started again as after any death. */
  kill() {
    this.#child?.kill('SIGKILL');
  }

  /** Asks it to end, and waits; after the grace it is killed. Resolves with whether it ended by itself. */
  async stop(graceMs = 30_000) {
    this.#wanted = false;
    const child = this.#child;
    if (child === null) return true;
    let orderly = true;
    const timer = setTimeout(() => {
      orderly = false;
      child.kill('SIGKILL');
    }, graceMs);
    child.kill('SIGTERM');
    await this.#ended;
    clearTimeout(timer);
    return orderly;
  }

  async #restart(why) {
    if (Date.now() - this.#startedAt > RESTART_MS.forgetAfter) this.#deaths = 0;
    const delay = Math.min(RESTART_MS.most, RESTART_MS.first * 2 ** Math.min(this.#deaths, 10));
    this.#deaths += 1;
    this.#onLine(this.name, `ended (${why}); started again in ${delay} ms`);
    await sleep(delay);
    if (this.#wanted) this.start();
  }
}
