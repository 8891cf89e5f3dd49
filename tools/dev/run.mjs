// `npm run dev`: the engine from its sources, started again at each change. The embedded database stays in this process.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { repositoryRoot } from '../setup/places.mjs';
import { watchSources } from './watch.mjs';

const USAGE = `Runs the engine from its sources and starts it again when one changes, until Ctrl-C.

  npm run dev [-- --port 8080] [--data-dir DIR] [--local-root DIR] [--inspect[=host:port]]

  --port <number>       port of the API (default: PORT or 8080)
  --data-dir <folder>   embedded database and objects (default: ADIT_DATA_DIR or .adit)
  --local-root <folder> folder that jobs may read local paths from; may be repeated (default: this repository)
  --inspect             lets a debugger attach (default: 127.0.0.1:9229); --inspect-brk waits for one
  --help                this text

What libs/database itself is made of is loaded once: start this again after a change there.`;

/** An engine that has jobs ends when they are put down; one that is about to be replaced need not: its work goes on. */
const PATIENCE_MS = 300;

/** Answers the exit code. */
export async function runDev(args) {
  const options = parse(args);
  if (typeof options === 'number') return options;
  const embedded = (process.env.DATABASE_DRIVER || 'pglite') === 'pglite';
  const database = resolve(options.dataDir, 'database');
  const folder = await mkdtemp(join(tmpdir(), 'adit-dev-'));
  const socket = join(folder, 'database');
  let close = async () => undefined;
  if (embedded) {
    const { hostPglite } = await import('@adit/database/pglite-host');
    close = await hostPglite(database, socket);
  }
  const engine = new Engine(options, embedded ? { ADIT_DEV_DATABASE: database, ADIT_DEV_SOCKET: socket } : {});
  const unwatch = watchSources(repositoryRoot, (path) => engine.again(relative(repositoryRoot, path)));
  try {
    engine.start();
    await new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
    });
    return 0;
  } finally {
    unwatch();
    await engine.close();
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One process after the other. */
class Engine {
  #child = null;
  /** The next process, which has loaded the packages and waits. */
  #standby = null;
  #replacing = null;
  #changed = false;

  constructor(options, environment) {
    this.options = options;
    this.environment = environment;
  }

  start() {
    const began = performance.now();
    const child = this.#standby ?? this.#launch({});
    this.#standby?.send('start');
    this.#standby = null;
    this.#child = child;
    child.on('message', () => {
      say(`serving after ${seconds(began)}`);
      // Two that a debugger may attach to would want the same port.
      if (this.options.inspect.length === 0) this.#prepare();
    });
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return;
      this.#child = null;
      // An engine that ended by itself is restarted only after a change.
      if (this.#replacing === null) say(`the engine ended (${signal ?? code}); waiting for a change`);
    });
  }

  #prepare() {
    const standby = this.#launch({ ADIT_DEV_STANDBY: '1' });
    this.#standby = standby;
    standby.once('exit', () => {
      if (this.#standby === standby) this.#standby = null;
    });
  }

  #launch(more) {
    const { port, dataDir, localRoots, inspect } = this.options;
    const serve = { port, host: process.env.ADIT_HOST || '127.0.0.1', dataDir, localRoot: localRoots };
    const loader = new URL('../../libs/testing/source-loader.mjs', import.meta.url).href;
    return fork(new URL('./engine.mjs', import.meta.url), [JSON.stringify(serve)], {
      // A group of its own: Ctrl-C in a terminal reaches this process alone, which passes it on once.
      detached: true,
      execArgv: [...inspect, '--no-warnings', '--enable-source-maps', '--conditions=@adit/source', '--import', loader],
      env: {
        // Node 22.1 and later keep what they compiled there, so that the next engine is there sooner.
        NODE_COMPILE_CACHE: join(repositoryRoot, 'node_modules/.cache/adit/node-compile-cache'),
        ...process.env,
        ...this.environment,
        ADIT_BUILT: '1',
        ...more,
      },
    });
  }

  /** Ends the process that runs and starts the next; what changes meanwhile counts for that. */
  again(path) {
    this.#changed = true;
    this.#replacing ??= (async () => {
      say(`${path} changed`);
      while (this.#changed) {
        this.#changed = false;
        await this.end();
      }
      this.#replacing = null;
      this.start();
    })();
  }

  async close() {
    this.#standby?.kill('SIGKILL');
    await this.end();
  }

  async end() {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
    clearTimeout(late);
  }
}

function say(text) {
  console.error(`dev: ${text}`);
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

function parse(args) {
  const options = {
    port: Number(process.env.PORT || 8080),
    dataDir: process.env.ADIT_DATA_DIR || join(repositoryRoot, '.adit'),
    localRoots: [],
    inspect: [],
  };
  for (let index = 0; index < args.length; index += 1) {
    const [option, inline] = args[index].split(/=(.*)/s);
    const value = () => inline ?? args[++index] ?? '';
    if (option === '--help' || option === '-h') {
      console.log(USAGE);
      return 0;
    } else if (option === '--port') options.port = Number(value());
    else if (option === '--data-dir') options.dataDir = value();
    else if (option === '--local-root') options.localRoots.push(resolve(value()));
    else if (option === '--inspect' || option === '--inspect-brk') options.inspect = [args[index]];
    else return refuse(args[index]);
  }
  if (options.localRoots.length === 0) options.localRoots.push(repositoryRoot);
  return Number.isInteger(options.port) && options.port >= 0 && options.port < 65_536 ? options : refuse('--port');
}

function refuse(what) {
  console.error(`${what} is not understood.\n\n${USAGE}`);
  return 2;
}
