import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { AditError } from '@adit/contracts';

export interface PgliteServerOptions {
  /** Folder of the data files; null keeps them in memory. */
  directory: string | null;
  /** fsync at every commit. */
  durable: boolean;
  /** Data directory to begin with, as a compressed tar, for a database that does not exist yet. */
  template?: Uint8Array | null;
}

type WorkerMessage = { ready: true } | { closed: true } | { dumped: Uint8Array };

/**
 * PGlite in a worker thread, handing out connections. When the worker dies (PostgreSQL panicked, out of memory), its
 * connections end with an error and the next connection starts a new one, which recovers from the write-ahead log.
 */
export class PgliteServer {
  private worker: Promise<Worker> | null = null;
  private closed = false;

  constructor(private readonly options: PgliteServerOptions) {}

  /** Resolves when the database takes connections: about 1 s, for a new one without a template 2–4 s. Throws UNAVAILABLE. */
  async start(): Promise<void> {
    await this.running();
  }

  async connect(): Promise<MessagePort> {
    const worker = await this.running();
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ connect: port2 }, [port2]);
    return port1;
  }

  /** The whole data directory as a compressed tar, to start other databases from. No transaction may be running. */
  async dump(): Promise<Uint8Array> {
    const worker = await this.running();
    worker.postMessage({ dump: true });
    const message = await this.next(worker);
    if (!('dumped' in message)) throw new AditError('INTERNAL', 'The embedded database did not answer with a dump.');
    return message.dumped;
  }

  /** Checkpoints and stops; connections should have been closed before. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const worker = await this.worker?.catch(() => null);
    if (!worker) return;
    worker.postMessage({ close: true });
    await this.next(worker).catch(() => undefined);
    await worker.terminate();
  }

  /** Stops at once and writes nothing more: another process owns the files now. */
  async abandon(): Promise<void> {
    this.closed = true;
    await (await this.worker?.catch(() => null))?.terminate();
  }

  private running(): Promise<Worker> {
    if (this.closed) return Promise.reject(new AditError('UNAVAILABLE', 'The embedded database is closed.'));
    this.worker ??= this.spawn();
    return this.worker;
  }

  private async spawn(): Promise<Worker> {
    const worker = new Worker(new URL('./pglite-worker.js', import.meta.url), {
      name: 'pglite',
      workerData: {
        directory: this.options.directory,
        durable: this.options.durable,
        template: this.options.template ?? null,
      },
      // The options of this process (a test runner's module loader, --inspect) are not for the worker.
      execArgv: [],
    });
    const forget = () => (this.worker = null);
    worker.once('error', forget);
    worker.once('exit', forget);
    await this.next(worker);
    return worker;
  }

  /** The worker's next message; throws UNAVAILABLE when it dies instead. */
  private next(worker: Worker): Promise<WorkerMessage> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        act();
      };
      const failed = (why: string, cause?: unknown) =>
        settle(() =>
          reject(
            new AditError('UNAVAILABLE', `The embedded database in ${this.place()} does not start: ${why}`, { cause }),
          ),
        );
      const onMessage = (message: WorkerMessage) => settle(() => resolve(message));
      const onError = (error: Error) => failed(error.message, error);
      const onExit = (code: number) => failed(`its thread ended with code ${code}.`);
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    });
  }

  private place(): string {
    return this.options.directory ?? 'memory';
  }
}
