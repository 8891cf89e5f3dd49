// Questions to a Node process of our own, one answer each, over the channel that fork opens.
import { fork } from 'node:child_process';

export class Child {
  #process;
  #waiting = new Map();
  #next = 1;

  constructor(file, { args = [], env = process.env, execArgv = [] } = {}) {
    this.#process = fork(file, args, { env, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#process.on('message', ({ id, value, error }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) resolve(value);
      else reject(new Error(error));
    });
    this.#process.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${file} ended with ${signal ?? code}.`));
      this.#waiting.clear();
    });
  }

  get pid() {
    return this.#process.pid;
  }

  ask(question, payload = {}) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.send({ id, question, payload });
    });
  }

  /** Asks it to end and waits until it has. */
  async close() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    const late = setTimeout(() => this.#process.kill('SIGKILL'), 20_000);
    await this.ask('end').catch(() => undefined);
    // One that crashed, or was too slow to end, is gone already.
    if (this.#process.connected) this.#process.disconnect();
    await gone;
    clearTimeout(late);
  }
}

/** The other end: answers each question with the method of its name, one after the other as they come. */
export function answer(methods) {
  process.on('message', async ({ id, question, payload }) => {
    try {
      process.send({ id, value: (await methods[question](payload)) ?? null });
    } catch (error) {
      process.send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  // When the bench is gone, nobody needs this process.
  process.on('disconnect', () => process.exit(0));
}
