import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/**
 * Replacement of `pg`'s TCP socket: a duplex stream of PostgreSQL's wire protocol whose other end is a MessagePort of
 * the PGlite worker. The data that `pg` writes in one go (parse, bind, describe, execute, sync) crosses as one
 * message.
 */
export class PgliteStream extends Duplex {
  private port: MessagePort | null = null;
  private readonly queued: Uint8Array<ArrayBuffer>[] = [];

  /** `open` resolves to a new port of the running worker, or throws when it cannot be started. */
  constructor(private readonly open: () => Promise<MessagePort>) {
    super({ emitClose: true });
  }

  /** `pg` calls this as on a net.Socket; host and port mean nothing here. */
  connect(): this {
    this.open().then(
      (port) => {
        if (this.destroyed) return port.close();
        this.port = port;
        port.on('message', (bytes: Uint8Array) => this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
        // Our own close() has set `port` to null by then; otherwise the worker has gone.
        port.on('close', () => this.port !== null && this.destroy(new Error('The embedded database stopped.')));
        for (const bytes of this.queued.splice(0)) port.postMessage(bytes, [bytes.buffer]);
        this.emit('connect');
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.port?.ref();
    return this;
  }

  /** Lets the process end with an idle pooled connection; the worker keeps it alive until it is closed. */
  unref(): this {
    this.port?.unref();
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.post([chunk]);
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.post(chunks.map(({ chunk }) => chunk));
    done();
  }

  override _final(done: () => void): void {
    this.closePort();
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.closePort();
    done(error);
  }

  private post(chunks: Buffer[]): void {
    // The chunk is copied: `pg` may reuse its buffers, and ours is transferred rather than cloned.
    const bytes = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.length, 0));
    let offset = 0;
    for (const chunk of chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    if (this.port) this.port.postMessage(bytes, [bytes.buffer]);
    else this.queued.push(bytes);
  }

  private closePort(): void {
    const port = this.port;
    this.port = null;
    port?.close();
  }
}
