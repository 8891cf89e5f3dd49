import type { IncomingMessage } from 'node:http';

/** The bytes of a request's body, taken as they are wanted; its end and its breaking off look the same, but for `broken`. */
export class RequestBytes {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer | null = null;
  /** Ends the read that waits. Not a promise for all reads to race with: that would keep every chunk in memory. */
  private wake: () => void = () => undefined;
  /** Tells whether the body ended before its time. */
  broken = false;

  constructor(request: IncomingMessage) {
    this.chunks = request[Symbol.asyncIterator]();
  }

  /** Takes no more: what was read so far is all there is. */
  stop(): void {
    this.broken = true;
    this.wake();
  }

  /** At most `most` bytes, at least one; null when there are no more. */
  async next(most: number): Promise<Buffer | null> {
    let chunk = this.rest;
    while (chunk === null || chunk.length === 0) {
      const read = this.broken ? null : await this.read();
      if (read === null) return null;
      chunk = read;
    }
    this.rest = chunk.length > most ? chunk.subarray(most) : null;
    return chunk.subarray(0, most);
  }

  /** The next bytes, until `most` were given. */
  async *upTo(most: number): AsyncGenerator<Buffer> {
    for (let left = most; left > 0;) {
      const bytes = await this.next(left);
      if (bytes === null) return;
      left -= bytes.length;
      yield bytes;
    }
  }

  private read(): Promise<Buffer | null> {
    return new Promise((resolve) => {
      this.wake = () => resolve(null);
      this.chunks.next().then(
        (next) => resolve(next.done === true ? null : next.value),
        () => {
          this.broken = true;
          resolve(null);
        },
      );
    });
  }
}
