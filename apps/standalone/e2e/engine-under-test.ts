import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHORT_LIVED_FLAGS } from '@adit/runtime';
import { RUNNABLE_FLAGS, runnable, spending } from '@adit/testing';
import { ENGINE_FLAGS } from '../supervisor.js';
import { Api } from './api.js';

const BOOT_SECONDS = 300;
const PATIENCE_SECONDS = 600;

interface EngineOptions {
  /** Folders that jobs may read from. */
  localRoots: string[];
  /** Settings beside those of the specs. */
  env?: Record<string, string>;
  /** Source of a program beside this one to run in place of the engine's own; takes the same arguments. */
  program?: string;
}

/** Most engines of the specs live for seconds. */
const FLAGS = [...ENGINE_FLAGS, ...SHORT_LIVED_FLAGS, ...RUNNABLE_FLAGS];

/** The words by which a shell starts the command line. */
export function commandLine(): string[] {
  return [process.execPath, ...FLAGS, runnable('../../cli/main.ts', import.meta.url)];
}

/** The real engine in a process of its own, over a data folder of its own, spoken to through its API. */
export class EngineUnderTest {
  readonly key = 'a-key-of-the-specs-alone';
  private child: ChildProcess | null = null;
  private standby: ChildProcess | null = null;
  private port = 0;

  private constructor(
    readonly folder: string,
    private readonly options: EngineOptions,
  ) {}

  static async start(options: EngineOptions): Promise<EngineUnderTest> {
    const engine = new EngineUnderTest(await mkdtemp(join(tmpdir(), 'adit-e2e-')), options);
    try {
      await spending('engines', () => engine.boot());
    } catch (error) {
      // Nobody gets it to close.
      await engine.kill();
      await engine.close();
      throw error;
    }
    return engine;
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  get api(): Api {
    return new Api(`http://127.0.0.1:${this.port}`, this.key);
  }

  /** Starts the process over what its former life left. Throws with the log when it ends, or hangs, before it answers. */
  async boot(): Promise<void> {
    this.child = this.standby ?? this.launch();
    this.standby?.send('go');
    this.standby = null;
    const ended = once(this.child, 'exit').then(async () => {
      throw new Error(`The engine ended before it answered:\n${await this.log()}`);
    });
    ended.catch(() => undefined);
    const answered = once(this.child, 'message', { signal: AbortSignal.timeout(BOOT_SECONDS * 1000) }).catch(
      async () => {
        throw new Error(`The engine did not answer within ${BOOT_SECONDS} s:\n${await this.log()}`);
      },
    );
    answered.catch(() => undefined);
    const [message] = (await Promise.race([answered, ended])) as [{ url: string }];
    // The same address after a restart, as behind a service.
    this.port = Number(new URL(message.url).port);
  }

  /** Loads the next process beside this one, so that the next boot is short. */
  prepare(): void {
    this.standby = this.launch({ ADIT_TEST_STANDBY: '1' });
  }

  /** Begins a boot and kills it `milliseconds` later, whether or not it answers by then. */
  async bootAndKill(milliseconds: number): Promise<void> {
    const booted = this.boot().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    await this.kill();
    await booted;
  }

  /** `kill -9`, as native code or the kernel do it. */
  async kill(): Promise<void> {
    const child = this.child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Asks again while nobody answers, as a client does when a service is started anew, and dies a few times over. */
  async patient<T>(ask: (api: Api) => Promise<T>): Promise<T> {
    for (const end = Date.now() + PATIENCE_SECONDS * 1000; ;) {
      try {
        return await ask(this.api);
      } catch (error) {
        // jest's own TypeError is another one than that of fetch.
        if ((error as Error).name !== 'TypeError' || Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Removes what has outlived its time, now. */
  async sweep(): Promise<void> {
    const swept = once(this.child!, 'message');
    this.child!.send('sweep');
    await swept;
  }

  /** Runs the command line on this engine's folder; answers what it printed. Throws when it fails. */
  async cli(...args: string[]): Promise<string> {
    const child = this.fork(
      runnable('../../cli/main.ts', import.meta.url),
      [...args, '--data-dir', this.dataDir],
      'pipe',
    );
    let printed = '';
    child.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    // It may have exited before all that it printed has been read.
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`adit ${args.join(' ')} ended with ${code}:\n${printed}\n${await this.log()}`);
    return printed;
  }

  async log(): Promise<string> {
    return (await readFile(join(this.folder, 'engine.log'), 'utf8').catch(() => '')).slice(-16_000);
  }

  async close(): Promise<void> {
    this.standby?.kill('SIGKILL');
    const child = this.child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
      child.send('close');
      await gone;
      clearTimeout(late);
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private launch(env: Record<string, string> = {}): ChildProcess {
    const { program = './engine-process.ts', localRoots } = this.options;
    return this.fork(runnable(program, import.meta.url), [this.dataDir, String(this.port), ...localRoots], 'log', env);
  }

  private fork(
    program: string,
    args: string[],
    stdout: 'pipe' | 'log',
    env: Record<string, string> = {},
  ): ChildProcess {
    const log = openSync(join(this.folder, 'engine.log'), 'a');
    const child = fork(program, args, {
      execArgv: FLAGS,
      stdio: ['ignore', stdout === 'log' ? log : 'pipe', log, 'ipc'],
      env: {
        ...process.env,
        ADIT_LOG_LEVEL: 'warn',
        ADIT_API_KEY: this.key,
        NODE_OPTIONS: '',
        ...this.options.env,
        ...env,
      },
    });
    closeSync(log);
    return child;
  }
}
