import { Readable } from 'node:stream';

/** A child's output, and what becomes of it. */
interface BodySource {
  output: Readable;
  /** Asked once, at the end of the output: the error that the body ends with, or null. */
  failure: () => Promise<unknown>;
  /** Ends all that the body comes from. */
  stop: () => Promise<void>;
}

/** Bytes that are held for a consumer; beyond that the child waits. */
const HELD_BYTES = 256 << 10;

/**
 * Body of a live run. Unlike other streams it gives everything that has arrived before it fails. It closes once nothing
 * is left of what it came from.
 */
export class RunBody extends Readable {
  private ending: { failure: unknown } | null = null;

  constructor(private readonly source: BodySource) {
    super({ highWaterMark: HELD_BYTES });
    source.output.pause();
    source.output.on('data', (piece: Buffer) => {
      if (!this.push(piece)) source.output.pause();
    });
    source.output.once('end', () => void this.conclude());
    source.output.once('error', (error) => this.destroy(error));
  }

  override _read(): void {
    this.source.output.resume();
  }

  override read(size?: number): Buffer | null {
    const piece: Buffer | null = super.read(size);
    process.nextTick(() => this.failWhenRead());
    return piece;
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.source.stop().then(
      () => callback(error),
      () => callback(error),
    );
  }

  private async conclude(): Promise<void> {
    const failure = await this.source.failure();
    if (failure === null) return void this.push(null);
    this.ending = { failure };
    this.failWhenRead();
  }

  private failWhenRead(): void {
    if (this.ending === null || this.readableLength > 0 || this.destroyed) return;
    const { failure } = this.ending;
    this.destroy(failure instanceof Error ? failure : new Error(String(failure)));
  }
}
