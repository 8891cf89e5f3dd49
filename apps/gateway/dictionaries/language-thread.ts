import { Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';

interface DetectedLanguage {
  /** Code of two letters; empty when there is none. */
  language: string;
  isReliable: boolean;
}

interface Waiting {
  resolve: (detected: DetectedLanguage) => void;
  reject: (error: Error) => void;
}

/** So long after the last text the thread ends, and the memory of the detector's tables with it. */
const KEPT_MS = 10_000;

/**
 * The language detector in a thread of its own, behind everything else that the process does. Loading its tables takes far
 * longer than any text, so it is done once for all texts that come one after the other.
 */
export class LanguageThread {
  private worker: Worker | null = null;
  private readonly waiting: Waiting[] = [];
  private idle: NodeJS.Timeout | undefined;

  /** Throws INTERNAL when the thread dies; the next text starts another. */
  detect(text: string): Promise<DetectedLanguage> {
    clearTimeout(this.idle);
    this.worker ??= this.start();
    this.worker.ref();
    this.worker.postMessage(text);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private start(): Worker {
    const worker = new Worker(new URL('./language-worker.js', import.meta.url), {
      name: 'language',
      // The options of this process (a test runner's module loader, --inspect) are not for the worker.
      execArgv: [],
    });
    worker.on('message', (detected: DetectedLanguage) => {
      this.waiting.shift()?.resolve(detected);
      if (this.waiting.length > 0) return;
      // Nobody's end waits for it.
      worker.unref();
      this.idle = setTimeout(() => this.end(worker), KEPT_MS).unref();
    });
    worker.once('error', (error) => this.lose(worker, error));
    worker.once('exit', () =>
      this.lose(worker, new AditError('INTERNAL', 'The language detector ended without an answer.')),
    );
    return worker;
  }

  private end(worker: Worker): void {
    this.worker = null;
    void worker.terminate();
  }

  private lose(worker: Worker, error: Error): void {
    if (this.worker !== worker) return;
    this.worker = null;
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
