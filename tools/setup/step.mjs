// One set-up step as the person sees it: a live line on a terminal, plain lines elsewhere, the last output on failure.
import { spawn } from 'node:child_process';
import { repositoryRoot } from './places.mjs';

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const KEPT_LINES = 30;

/** A failure the person can do something about; `message` is shown without a stack. */
export class SetupError extends Error {
  constructor(message) {
    super(message);
    this.name = 'SetupError';
  }
}

export class Step {
  #live;
  #started = performance.now();
  #title = '';
  #detail = '';
  #timer = null;
  #tick = 0;

  /** Steps that run side by side cannot share the terminal's last line: those are not `live`. */
  constructor({ live = process.stderr.isTTY === true } = {}) {
    this.#live = live;
  }

  /** Announces what is being done; may be called again when the step turns to something else. */
  begin(title) {
    this.end();
    this.#title = title;
    this.#detail = '';
    this.#started = performance.now();
    if (!this.#live) console.error(`${title} …`);
    else this.#timer = setInterval(() => this.#draw(), 100);
  }

  /** Marks the current work as done and prints how long it took. */
  end(failed = false) {
    if (this.#title === '') return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(1);
    if (this.#live) process.stderr.write(`\r\x1b[K${failed ? '✗' : '✓'} ${this.#title} (${seconds} s)\n`);
    else console.error(`${this.#title}: ${failed ? 'failed' : 'done'} in ${seconds} s`);
    this.#title = '';
  }

  /**
   * Runs a program quietly and answers its standard output. When it fails, throws a SetupError that shows its last lines
   * and `advice`.
   */
  async exec(command, args, { advice = '', env = process.env, cwd = repositoryRoot } = {}) {
    const tail = [];
    const out = [];
    let child;
    try {
      child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
      throw this.#failure(command, args, error.message, [], advice);
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        if (stream === child.stdout) out.push(text);
        for (const line of text.split(/[\r\n]+/)) this.#note(line, tail);
      });
    }
    const ending = await new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(code === 0 ? null : (signal ?? `exit code ${code}`)));
    });
    if (ending !== null) throw this.#failure(command, args, ending, tail, advice);
    return out.join('');
  }

  #failure(command, args, ending, tail, advice) {
    const title = this.#title;
    this.end(true);
    const lines = [`${title} failed (${[command, ...args].join(' ')}: ${ending}).`, ...tail.map((line) => `  ${line}`)];
    if (advice !== '') lines.push(advice);
    return new SetupError(lines.join('\n'));
  }

  #note(text, tail) {
    // eslint-disable-next-line no-control-regex -- colours have no place in a one-line status
    const line = text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').trimEnd();
    if (line.trim() === '') return;
    tail.push(line);
    if (tail.length > KEPT_LINES) tail.shift();
    this.#detail = line.trim();
  }

  #draw() {
    const seconds = Math.round((performance.now() - this.#started) / 1000);
    const text = `${FRAMES[this.#tick++ % FRAMES.length]} ${this.#title} ${seconds} s  `;
    const room = Math.max(0, (process.stderr.columns ?? 80) - text.length - 1);
    process.stderr.write(`\r\x1b[K${text}\x1b[2m${this.#detail.slice(0, room)}\x1b[0m`);
  }
}
