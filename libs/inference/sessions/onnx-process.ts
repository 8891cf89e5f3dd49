import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AditError } from '@adit/contracts';
import { forkConfined, writesShut } from '@adit/media/sandbox';
import { GraphCalls, type GraphAnswer, type GraphRequest } from './graph-calls.js';
import type { GraphTensor } from './onnx-graph.js';
import { SharedFile } from './shared-file.js';

const PROGRAM = fileURLToPath(new URL('./onnx-worker.js', import.meta.url));
/** Settings of `onnx-graph.ts` for ONNX Runtime. */
const ENVIRONMENT = ['ORT_DISABLE_TELEMETRY'];
/** Messages of C++, ONNX Runtime and Node when the kernel refused memory. */
const NO_MEMORY = /bad.?alloc|failed to allocate|allocation failed|out of memory/i;
const ERROR_TEXT = 500;

export interface ProcessLimits {
  /** Private memory of the process, graph and Node together. */
  memoryBytes: number;
  /** Setting to raise, for the error message. */
  setting: string;
  /** Time limit of a load or a run. */
  seconds: number;
  secondsSetting: string;
}

/**
 * ONNX Runtime on a CPU in a separate process, for an untrusted graph: its memory is limited by the kernel, it has no
 * network, and it ends with this process. The first load starts it. A run that exceeds the memory throws
 * LIMIT_EXCEEDED; when the process dies of it, so does every later call. A run that exceeds the time limit is ended
 * with the process.
 */
export class OnnxProcess extends GraphCalls {
  private child: Promise<ChildProcess> | null = null;
  /** Shared file for tensors in transit, once the process exists. */
  private file: SharedFile | null = null;
  private errorText = '';
  private isClosing = false;
  /** Timeout of the current call; not set while nothing is pending. */
  private watch: NodeJS.Timeout | undefined;

  /** `model` is its name in errors; `onLost` is called when the process ends without having been closed. */
  constructor(
    private readonly model: string,
    private readonly limits: ProcessLimits,
    onLost: () => void = () => undefined,
  ) {
    super(onLost);
  }

  /** Kills the process, whatever it does. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.watch);
    const child = await this.child?.catch(() => null);
    if (child == null || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  protected send(message: GraphRequest & { call: number }): void {
    this.child ??= this.start();
    this.child
      .then(async (child) => {
        const sent = (await this.file?.sent(message)) ?? message;
        // An ended process reports that by its exit.
        if (child.connected) child.send(sent, () => undefined);
      })
      .catch((error: unknown) => this.lose(AditError.from(error)));
  }

  /** File and channel write only the bytes of each view, which is the copy. */
  protected sendable(data: GraphTensor['data']): GraphTensor['data'] {
    return data;
  }

  protected hold(isWaiting: boolean): void {
    if (!isWaiting) this.watch = void clearTimeout(this.watch);
    else if (this.watch === undefined) this.watchNext();
    this.child?.then(
      (child) => {
        for (const each of [child, child.channel]) {
          if (isWaiting) each?.ref();
          else each?.unref();
        }
      },
      () => undefined,
    );
  }

  protected override failed(reason: string): Error {
    return NO_MEMORY.test(reason) ? this.tooLarge(reason) : new Error(reason);
  }

  private async start(): Promise<ChildProcess> {
    // Without a restriction of writes the process could write to any file, so the channel is used.
    this.file = (await writesShut()) ? await SharedFile.open().catch(() => null) : null;
    const limits = { dataBytes: this.limits.memoryBytes, fileBytes: this.file ? SharedFile.BYTES : 0 };
    const options = { environment: ENVIRONMENT, file: this.file?.descriptor };
    const child = await forkConfined(PROGRAM, limits, options).catch((error: unknown) => {
      void this.file?.close();
      throw error;
    });
    child.stderr?.on('data', (text: Buffer) => {
      this.errorText = `${this.errorText}${text.toString('utf8')}`.slice(-ERROR_TEXT);
    });
    child.on('message', (answer) => {
      // Calls are served one after the other: the next one begins now.
      this.watchNext();
      // An invalid answer ends the process, which its exit reports.
      this.received(answer as GraphAnswer).catch(() => child.kill('SIGKILL'));
    });
    child.once('error', (error) => {
      void this.file?.close();
      this.lose(new AditError('UNAVAILABLE', `The process of the model cannot be started: ${error.message}.`));
    });
    child.once('exit', (code, signal) => this.ended(signal ?? `code ${code}`));
    return child;
  }

  /** Trusts the declared type of onnx-worker.js, since both ends are of one build. */
  private async received(answer: GraphAnswer): Promise<void> {
    this.answered((await this.file?.received(answer)) ?? answer);
  }

  private watchNext(): void {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.endOverdue(), this.limits.seconds * 1000).unref();
  }

  private endOverdue(): void {
    const { seconds, secondsSetting } = this.limits;
    const problem = `A run of the model ${this.model} took more than ${seconds} s (${secondsSetting}), and was ended: its graph may not end for every picture.`;
    void this.close();
    this.lose(new AditError('LIMIT_EXCEEDED', problem));
  }

  private ended(how: string): void {
    clearTimeout(this.watch);
    void this.file?.close();
    if (this.isClosing) this.lose(new AditError('INTERNAL', 'The process of the model was ended. Try again.'));
    else this.lose(this.tooLarge(`the process ended with ${how}. ${this.errorText.trim()}`));
  }

  private tooLarge(reason: string): AditError {
    const mebibytes = Math.floor(this.limits.memoryBytes / 1024 ** 2);
    return new AditError(
      'LIMIT_EXCEEDED',
      `The model ${this.model} may need more than ${mebibytes} MiB of memory (${this.limits.setting}): ${reason.replace(/\s+/g, ' ').slice(0, ERROR_TEXT).trim()}`,
    );
  }
}
