import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { AditError } from '@adit/contracts';
import { forkConfined } from '../sandbox/fork-confined.js';
import { DRAWN, refusalOf, type PageOrder } from './pdf-orders.js';
import { endedBy, MEMORY_BYTES, PROGRAM, refused, TIMEOUT_SECONDS } from './pdf-program.js';

interface Asked {
  /** Filled as bytes arrive. */
  pixels: Buffer;
  /** Number of bytes received; null before the byte that says whether there will be any. */
  length: number | null;
  resolve(pixels: Buffer): void;
  reject(error: unknown): void;
}

/** A document in a confined process of its own, as for all client media: loaded once, and drawn page after page. */
export class PdfDocument {
  /** Number of pages requested. */
  asked = 0;
  private child: Promise<ChildProcess> | null = null;
  private current: Asked | null = null;
  private isClosed = false;
  /** Error of the ended process. */
  private end: AditError | null = null;

  constructor(private readonly path: string) {}

  get hasEnded(): boolean {
    return this.end !== null;
  }

  /**
   * Returns the pixels of a page in RGB, row after row; one page at a time. Throws MEDIA_INVALID, LIMIT_EXCEEDED past a
   * minute, UNAVAILABLE, or the signal's reason. Close the document after an error.
   */
  async draw(order: Omit<PageOrder, 'path'>, signal?: AbortSignal): Promise<Buffer> {
    signal?.throwIfAborted();
    this.asked += 1;
    const drawn = new Promise<Buffer>((resolve, reject) => {
      this.current = { pixels: Buffer.allocUnsafe(order.width * order.height * 3), length: null, resolve, reject };
    });
    // Drawing may fail while the process still starts.
    drawn.catch(() => undefined);
    const abort = (): void => this.fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const overdue = (): void => this.fail(new AditError('LIMIT_EXCEEDED', TOO_LONG));
    const timer = setTimeout(overdue, TIMEOUT_SECONDS * 1000);
    try {
      const child = await (this.child ??= this.start());
      if (this.end !== null) throw this.end;
      // A process that is ending reports that by its end.
      if (child.connected) child.send({ path: this.path, ...order }, () => undefined);
      return await drawn;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.current = null;
    }
  }

  /** Ends the process, whatever it does; resolves when it is gone. */
  async close(): Promise<void> {
    this.isClosed = true;
    // A process that never started is gone.
    const child = await this.child?.catch(() => undefined);
    if (child === undefined || this.end !== null) return;
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
  }

  private async start(): Promise<ChildProcess> {
    const limits = { dataBytes: MEMORY_BYTES, fileBytes: 0 };
    const child = await forkConfined(PROGRAM, limits, { output: true });
    if (this.isClosed) child.kill('SIGKILL');
    child.stdout?.on('data', (piece: Buffer) => this.take(piece));
    // Its own error text is of no use to a client.
    child.stderr?.resume();
    child.once('error', (error) => {
      this.fail(
        new AditError('UNAVAILABLE', `The process that reads PDF documents cannot be started: ${error.message}.`),
      );
    });
    child.once('close', (code, signal) => this.fail((this.end = endedBy(signal ?? code))));
    return child;
  }

  private take(piece: Buffer): void {
    const { current } = this;
    if (current === null) return this.fail(new AditError('INTERNAL', OUTPUT_TOO_LONG));
    let rest = piece;
    if (current.length === null) {
      const [first = DRAWN] = piece;
      const refusal = refusalOf(first);
      if (refusal !== undefined) return current.reject(refused(refusal));
      if (first !== DRAWN) return this.fail(new AditError('INTERNAL', OUTPUT_TOO_LONG));
      current.length = 0;
      rest = piece.subarray(1);
    }
    if (current.length + rest.length > current.pixels.length) {
      return this.fail(new AditError('INTERNAL', OUTPUT_TOO_LONG));
    }
    current.length += rest.copy(current.pixels, current.length);
    if (current.length === current.pixels.length) current.resolve(current.pixels);
  }

  private fail(reason: unknown): void {
    this.current?.reject(reason);
    void this.close();
  }
}

const TOO_LONG = `Reading the PDF document took longer than ${TIMEOUT_SECONDS} s.`;
const OUTPUT_TOO_LONG = 'The process that reads PDF documents wrote more than its limit.';
