import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { headerOf, interleaved, RtspReader, writeMessage, type RtspMessage } from './message.js';

export interface LocalListener {
  /** A request of the reader, which `reply` answers; `path` is what follows the secret part of the URL. */
  onRequest(method: string, path: string, message: RtspMessage): void;
  onPacket(channel: number, payload: Buffer): void;
  /** The reader takes packets again. */
  onDrain(): void;
}

/** Programs of this machine that may try to be the reader at the same time. */
const MAX_STRANGERS = 8;
const STRANGER_MS = 5000;
/** Bytes that wait for the reader before the camera has to wait. */
const WAITING_BYTES = 1 << 20;
/** Bytes that wait for the reader before packets are dropped, which nothing else can hold back. */
const MAX_WAITING_BYTES = 16 << 20;

/** The relay's side on loopback: it takes one connection, of whoever knows the secret part of its URL. */
export class LocalSide {
  /** With a secret part; without a slash at its end. */
  readonly url: string;
  private readonly strangers = new Set<Socket>();
  private reader: Socket | null = null;

  private constructor(
    private readonly server: Server,
    private readonly listener: LocalListener,
  ) {
    const address = server.address() as AddressInfo;
    this.url = `rtsp://127.0.0.1:${address.port}/${randomBytes(24).toString('base64url')}`;
    server.on('connection', (socket) => this.admit(socket));
  }

  static async listen(listener: LocalListener): Promise<LocalSide> {
    const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    server.maxConnections = MAX_STRANGERS;
    await once(server, 'listening');
    return new LocalSide(server, listener);
  }

  /** Answers a request, with `headers` and nothing else of the camera's. */
  reply(request: RtspMessage, status: number, headers: readonly [string, string][] = [], body?: Buffer): void {
    const sequence = headerOf(request, 'cseq') ?? '0';
    const start = `RTSP/1.0 ${status} ${status < 300 ? 'OK' : 'Failed'}`;
    this.reader?.write(writeMessage(start, [['CSeq', sequence], ...headers], body));
  }

  /** Passes a packet on. Returns false when the camera has to wait for `onDrain`. */
  send(channel: number, payload: Buffer): boolean {
    const { reader } = this;
    if (reader === null || reader.writableLength > MAX_WAITING_BYTES) return true;
    reader.write(interleaved(channel, payload));
    return reader.writableLength < WAITING_BYTES;
  }

  /** Lets the reader take what it was sent, and then see the end. */
  end(): void {
    this.closeServer();
    this.reader?.end();
  }

  close(): void {
    this.closeServer();
    this.reader?.destroy();
  }

  private closeServer(): void {
    this.server.close();
    for (const socket of this.strangers) socket.destroy();
  }

  private admit(socket: Socket): void {
    this.strangers.add(socket);
    const parts = new RtspReader();
    const timer = setTimeout(() => socket.destroy(), STRANGER_MS);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      this.strangers.delete(socket);
    });
    socket.on('drain', () => this.listener.onDrain());
    socket.on('data', (piece: Buffer) => {
      try {
        for (const part of parts.add(piece)) {
          if ('message' in part) this.take(socket, part.message, timer);
          else if (this.reader === socket) this.listener.onPacket(part.channel, part.payload);
        }
      } catch {
        socket.destroy();
      }
    });
  }

  private take(socket: Socket, message: RtspMessage, timer: NodeJS.Timeout): void {
    const [method = '', url = ''] = message.start.split(' ');
    const { url: own } = this;
    const isOurs = url === own || url.startsWith(`${own}/`);
    // A reader may also send OPTIONS for `*`.
    if (this.reader !== socket && (this.reader !== null || !isOurs)) return void socket.destroy();
    if (this.reader === null) {
      clearTimeout(timer);
      this.reader = socket;
      this.strangers.delete(socket);
      this.closeServer();
    }
    this.listener.onRequest(method, isOurs ? url.slice(own.length) : '', message);
  }
}
