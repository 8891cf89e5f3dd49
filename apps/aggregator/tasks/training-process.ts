import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { AditError } from '@adit/contracts';
import { forkConfined } from '@adit/media';
import type { TrainingAnswer, TrainingOrder, WrittenHead } from './training-orders.js';

/** Program, compiled beside this file; source runs from the build. */
const here = import.meta.dirname;
const PROGRAM = join(here, basename(join(here, '..')) === 'dist' ? '' : '../dist/tasks', 'training-program.js');
const ERROR_TEXT = 500;

interface Waiting {
  resolve: (written: WrittenHead | null) => void;
  reject: (error: AditError) => void;
}

/**
 * Child process of one training: it holds the vectors of a dataset, and this process only the page on its way. Its
 * sandbox is that of media processes, for the sake of a memory limit in the kernel.
 */
export class TrainingProcess {
  private child: Promise<ChildProcess> | null = null;
  private waiting: Waiting | null = null;
  /** Reason why it takes no more orders. */
  private gone: AditError | null = null;
  private errorText = '';

  /** Starts with the first order. `onProgress` is called with the progress of training, 0..1. */
  constructor(
    private readonly memoryBytes: number,
    private readonly onProgress: (part: number) => void,
  ) {}

  /**
   * Sends orders one after the other, each when the one before has been answered. Throws LIMIT_EXCEEDED when the
   * process dies, as for want of memory, and the errors of the order.
   */
  async order(order: TrainingOrder): Promise<WrittenHead | null> {
    this.refuseGone();
    const child = await (this.child ??= this.start());
    this.refuseGone();
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      // A process that has ended reports it by its exit.
      child.send(order, () => undefined);
    });
  }

  /** Ends the process at once; pending orders are rejected with `why`. */
  async close(why = new AditError('INTERNAL', 'The process of the training was ended.')): Promise<void> {
    this.end(why);
    // A process that never started has nothing to end.
    const child = await this.child?.catch(() => undefined);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  private async start(): Promise<ChildProcess> {
    const child = await forkConfined(PROGRAM, { dataBytes: this.memoryBytes }, { writes: true });
    child.stderr?.on('data', (text: Buffer) => {
      this.errorText = `${this.errorText}${text.toString('utf8')}`.slice(-ERROR_TEXT);
    });
    // Messages of training-program.ts need no validation: both ends are of one build.
    child.on('message', (answer) => this.answered(answer as TrainingAnswer));
    child.once('error', ({ message }) =>
      this.end(new AditError('UNAVAILABLE', `The process could not be started: ${message}.`)),
    );
    child.once('exit', (code, signal) => this.end(this.died(signal ?? `code ${code}`)));
    return child;
  }

  private answered(answer: TrainingAnswer): void {
    if ('progress' in answer) return this.onProgress(answer.progress);
    const { waiting } = this;
    this.waiting = null;
    if ('error' in answer) waiting?.reject(new AditError(answer.error.code, answer.error.message));
    else waiting?.resolve(answer.written ?? null);
  }

  private refuseGone(): void {
    if (this.gone !== null) throw this.gone;
  }

  private end(why: AditError): void {
    this.gone ??= why;
    this.waiting?.reject(this.gone);
    this.waiting = null;
  }

  private died(how: string): AditError {
    const mebibytes = Math.floor(this.memoryBytes / 2 ** 20);
    return new AditError(
      'LIMIT_EXCEEDED',
      `The training may need more than ${mebibytes} MiB of memory (ADIT_TRAINING_MEMORY_BYTES): its process ended with ${how}.`,
      { cause: new Error(this.errorText.trim()) },
    );
  }
}
