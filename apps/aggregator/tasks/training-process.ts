import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { AditError } from '@adit/contracts';
import { forkConfined } from '@adit/media';
import type { TrainingAnswer, TrainingOrder, WrittenHead } from './training-orders.js';

/** Compiled beside this file; source runs from the build. */
const here = import.meta.dirname;
const PROGRAM = join(here, basename(join(here, '..')) === 'dist' ? '' : '../dist/tasks', 'training-program.js');
const ERROR_TEXT = 500;

interface Waiting {
  resolve: (written: WrittenHead | null) => void;
  reject: (error: AditError) => void;
}

/**
 * The process of one training: it holds the vectors of a dataset, and nothing of them is in this one but the page on its way. It is
 * confined as children over media are, for the sake of its memory: the kernel gives it no more.
 */
export class TrainingProcess {
  private child: Promise<ChildProcess> | null = null;
  private waiting: Waiting | null = null;
  /** Why it takes no more orders. */
  private gone: AditError | null = null;
  private errorText = '';

  /** Started by the first order. `onProgress` is told how far the head is, 0..1. */
  constructor(
    private readonly memoryBytes: number,
    private readonly onProgress: (part: number) => void,
  ) {}

  /**
   * One after the other, each when the one before has been answered. Throws LIMIT_EXCEEDED when the process dies, as for want of
   * memory, and what the order throws there.
   */
  async order(order: TrainingOrder): Promise<WrittenHead | null> {
    this.refuseGone();
    const child = await (this.child ??= this.start());
    this.refuseGone();
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      // One that has ended says so by its exit.
      child.send(order, () => undefined);
    });
  }

  /** Ends the process, whatever it does; whoever waits is told `why`. */
  async close(why = new AditError('INTERNAL', 'The process of the training was ended.')): Promise<void> {
    this.end(why);
    // One that never started has nothing to end.
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
    // What training-program.ts sends: both ends are of one build.
    child.on('message', (answer) => this.answered(answer as TrainingAnswer));
    child.once('error', ({ message }) => this.end(new AditError('UNAVAILABLE', `No process starts: ${message}.`)));
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
