import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { AditError } from '@adit/contracts';
import type { AddressPolicy } from './addresses.js';
import { connectChecked } from './checked-socket.js';
import type { ResolveHost } from './resolve.js';
import { webAddressFault } from './web-address.js';

export interface CheckedProxyOptions {
  addresses: AddressPolicy;
  /** Ports that may be connected to. */
  ports: readonly number[];
  /** Bytes that all connections may carry together, in both directions, TLS included. */
  maxBytes: number;
  /** Called once, when the next byte would be one too many: every connection has been closed. */
  onTooMany(): void;
  /** Milliseconds until a connection stands, and between two bytes of it. */
  timeoutMs: number;
  /** Instead of the system's resolver. */
  resolveHost?: ResolveHost | undefined;
}

export interface CheckedProxy {
  /** `http://user:password@127.0.0.1:port`; the password is of this proxy alone. */
  url: string;
  port: number;
  /** Bytes carried so far. */
  carriedBytes(): number;
  /** Why the last connection that failed did so: SOURCE_REFUSED or SOURCE_UNAVAILABLE; null when none did. */
  fault(): AditError | null;
  /** Ends all connections at once. Safe to repeat. */
  close(): Promise<void>;
}

/** Tunnels at the same time; a downloader needs a few. */
const MAX_TUNNELS = 32;
const USER = 'adit';
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i;
const REASONS = {
  403: 'Forbidden',
  405: 'Method Not Allowed',
  407: 'Proxy Authentication Required',
  502: 'Bad Gateway',
};

/**
 * Opens an HTTP proxy on loopback for one program that is not trusted with a network of its own. It makes tunnels
 * (CONNECT) to permitted addresses and ports with the guarantees of `connectChecked`, and bounds their bytes; requests
 * without a tunnel are refused, since only TLS keeps what is inside them from being changed on the way.
 */
export async function openCheckedProxy(options: CheckedProxyOptions): Promise<CheckedProxy> {
  const proxy = new Proxy(options);
  await proxy.listen();
  return proxy;
}

class Proxy implements CheckedProxy {
  private readonly password = randomBytes(24).toString('base64url');
  private readonly server: Server;
  private readonly sockets = new Set<Duplex>();
  private readonly ended = new AbortController();
  private tunnels = 0;
  private carried = 0;
  private lastFault: AditError | null = null;
  port = 0;

  constructor(private readonly options: CheckedProxyOptions) {
    this.server = createServer({ maxHeaderSize: 16 << 10 });
    this.server.on('connection', (socket: Socket) => this.hold(socket));
    this.server.on('clientError', (_error, socket) => socket.destroy());
    this.server.on('request', (request, response) => {
      const status = this.isKnown(request) ? 405 : 407;
      if (status === 405) this.lastFault = refused('What it leads to is not encrypted: only https:// is.');
      response.writeHead(status, { connection: 'close' }).end();
    });
    this.server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      void this.tunnel(request, client, head);
    });
  }

  get url(): string {
    return `http://${USER}:${this.password}@127.0.0.1:${this.port}`;
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1').unref();
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address !== null && typeof address === 'object') this.port = address.port;
  }

  carriedBytes(): number {
    return this.carried;
  }

  fault(): AditError | null {
    return this.lastFault;
  }

  async close(): Promise<void> {
    this.ended.abort();
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  private async tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    if (!this.isKnown(request)) return answer(client, 407);
    if (this.tunnels >= MAX_TUNNELS) return answer(client, 502);
    this.tunnels++;
    client.once('close', () => this.tunnels--);
    try {
      const upstream = await this.connect(request.url ?? '');
      if (client.destroyed) return void upstream.destroy();
      this.join(client, upstream, head);
    } catch (error) {
      if (this.ended.signal.aborted) return void client.destroy();
      const isRefused = error instanceof AditError;
      this.lastFault = isRefused ? error : unavailable(request.url ?? '', error);
      answer(client, isRefused ? 403 : 502);
    }
  }

  private async connect(authority: string): Promise<Socket> {
    const { addresses, ports, timeoutMs, resolveHost } = this.options;
    const [, host = '', port = ''] = AUTHORITY.exec(authority) ?? [];
    // The parser brings numbers in other notations to the plain one.
    const address = `https://${host}:${port}`;
    if (host === '' || !URL.canParse(address)) throw refused('An address in it cannot be read.');
    const { hostname } = new URL(address);
    const fault = webAddressFault(new URL(address), { addresses, allowHttp: false });
    if (fault !== null) throw refused(`It leads to https://${hostname}, which is refused: ${fault}.`);
    if (!ports.includes(Number(port)))
      throw refused(`It leads to port ${Number(port)} of ${hostname}, which is refused.`);
    return await connectChecked({
      host: hostname,
      port: Number(port),
      addresses,
      timeoutMs,
      resolveHost,
      signal: this.ended.signal,
    });
  }

  private join(client: Duplex, upstream: Socket, head: Buffer): void {
    this.hold(upstream);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    upstream.setTimeout(this.options.timeoutMs, end);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0 && this.count(head)) upstream.write(head);
    upstream.on('data', (piece: Buffer) => this.count(piece));
    client.on('data', (piece: Buffer) => this.count(piece));
    upstream.pipe(client);
    client.pipe(upstream);
  }

  /** Counts a piece. Returns false when it is too much, and everything has been closed. */
  private count(piece: Buffer): boolean {
    if (this.ended.signal.aborted) return false;
    this.carried += piece.length;
    if (this.carried <= this.options.maxBytes) return true;
    void this.close();
    this.options.onTooMany();
    return false;
  }

  private isKnown({ headers }: IncomingMessage): boolean {
    const expected = Buffer.from(`Basic ${Buffer.from(`${USER}:${this.password}`).toString('base64')}`);
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  private hold(socket: Duplex): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.sockets.delete(socket));
  }
}

function answer(client: Duplex, status: keyof typeof REASONS): void {
  client.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}

function refused(message: string): AditError {
  return new AditError('SOURCE_REFUSED', message);
}

function unavailable(authority: string, cause: unknown): AditError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new AditError('SOURCE_UNAVAILABLE', `${authority.slice(0, 200)} cannot be reached: ${message}.`, { cause });
}
