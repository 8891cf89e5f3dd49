import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { connectCamera, type CameraOptions } from '../connect-camera.js';
import { shownAddress, type LiveAddress } from '../../fetch/live-address.js';
import { silent, unavailable } from '../live-faults.js';
import type { StreamRelay } from '../start-run.js';
import { COMMAND, rewrittenCommand, rtmpTarget } from './commands.js';
import { chunkSizeOf, RtmpReader, SET_CHUNK_SIZE, writeRtmp, type RtmpMessage } from './messages.js';

/** C0, C1 and C2 of the handshake, which pass as they are. */
const HANDSHAKE_BYTES = 1 + 2 * 1536;
const WATCH_MS = 250;

/**
 * Stands between a reader of RTMP and a server: the reader names the relay, and its commands are rewritten to name the
 * stream, so that it learns neither the address nor the key of the stream. The server's bytes pass as they are.
 */
export class RtmpRelay implements StreamRelay {
  failure: unknown = null;
  isOver = false;
  readonly url: string;
  private readonly secret = randomBytes(24).toString('base64url');
  private readonly messages = new RtmpReader();
  private reader: Socket | null = null;
  private handshake = HANDSHAKE_BYTES;
  private chunkSize = 128;
  private lastBytes = performance.now();
  private readonly watch: NodeJS.Timeout;

  private constructor(
    private readonly server: Server,
    private readonly camera: Socket,
    private readonly address: LiveAddress,
    private readonly timeoutSeconds: number,
  ) {
    this.url = `rtmp://127.0.0.1:${(server.address() as AddressInfo).port}/${this.secret}/live`;
    this.watch = setInterval(() => this.look(), WATCH_MS).unref();
    server.once('connection', (reader: Socket) => this.admit(reader));
    camera.pause();
    camera.on('error', () => undefined);
    camera.once('close', () => this.fail(unavailable(this.shown, 'the server closed the connection')));
  }

  /** Connects to the server and waits for the reader. Throws as `connectCamera`. */
  static async open(address: LiveAddress, options: CameraOptions): Promise<RtmpRelay> {
    const camera = await connectCamera(address, options);
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RtmpRelay(server, camera, address, options.timeoutSeconds);
  }

  close(): Promise<void> {
    this.finish();
    this.reader?.destroy();
    return Promise.resolve();
  }

  private get shown(): string {
    return shownAddress(String(this.address));
  }

  private admit(reader: Socket): void {
    this.server.close();
    this.reader = reader;
    this.lastBytes = performance.now();
    reader.on('error', () => undefined);
    reader.on('data', (piece: Buffer) => this.take(piece));
    reader.on('drain', () => {
      this.lastBytes = performance.now();
      this.camera.resume();
    });
    this.camera.on('data', (piece: Buffer) => {
      this.lastBytes = performance.now();
      if (!reader.write(piece)) this.camera.pause();
    });
    this.camera.resume();
  }

  private take(piece: Buffer): void {
    if (this.isOver) return;
    const plain = piece.subarray(0, this.handshake);
    this.handshake -= plain.length;
    if (plain.length > 0) this.camera.write(plain);
    try {
      for (const message of this.messages.add(piece.subarray(plain.length))) this.pass(message);
    } catch (error) {
      this.fail(unavailable(this.shown, 'what reads it does not follow RTMP', error));
    }
  }

  private pass(message: RtmpMessage): void {
    const { type, payload } = message;
    const target = rtmpTarget(this.address.origin, this.address.path);
    const rewritten = type === COMMAND ? rewrittenCommand(payload, this.secret, target) : payload;
    this.camera.write(writeRtmp({ ...message, payload: rewritten }, this.chunkSize));
    if (type === SET_CHUNK_SIZE) this.chunkSize = chunkSizeOf(payload);
  }

  private look(): void {
    const isWaiting = this.camera.isPaused() && this.reader !== null;
    if (isWaiting || performance.now() - this.lastBytes < this.timeoutSeconds * 1000) return;
    this.fail(silent(this.shown, this.timeoutSeconds));
  }

  /** Ends the stream for the reader, who still gets what has arrived. */
  private fail(error: unknown): void {
    if (this.isOver) return;
    this.failure = error;
    this.finish();
    this.reader?.end();
  }

  private finish(): void {
    this.isOver = true;
    clearInterval(this.watch);
    this.server.close();
    this.camera.destroy();
  }
}
