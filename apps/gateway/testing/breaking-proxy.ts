/** A way to a server that breaks as it is told, for the specs. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class BreakingProxy {
  /** Bytes that went to the server. */
  sent = 0;
  /** Connections that were made. */
  connections = 0;
  /** The connection breaks when so many more bytes have gone to the server; each takes one. */
  breakAfter: number[] = [];
  /** The connection breaks when the first byte of an answer comes; counts down. */
  swallowAnswers = 0;
  /** Connections that are refused, as while a server is away; counts down. */
  refuse = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  /** In front of a server on this machine. */
  static async to(port: number): Promise<BreakingProxy> {
    const server = createServer((client) => proxy.take(client, port));
    const proxy = new BreakingProxy(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(client: Socket, port: number): void {
    this.connections += 1;
    if (this.refuse > 0) {
      this.refuse -= 1;
      return void client.resetAndDestroy();
    }
    const upstream = connect(port, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('error', end).on('close', () => {
        this.sockets.delete(socket);
        end();
      });
    }
    client.on('data', (bytes: Buffer) => {
      this.sent += bytes.length;
      const [left] = this.breakAfter;
      if (left !== undefined) this.breakAfter[0] = left - bytes.length;
      if (left !== undefined && left <= bytes.length) {
        this.breakAfter.shift();
        // Bytes sent so far arrive; the answer to them does not.
        return void upstream.end(bytes, () => client.resetAndDestroy());
      }
      if (!upstream.write(bytes)) client.pause();
    });
    upstream.on('drain', () => client.resume());
    upstream.on('data', (bytes: Buffer) => {
      if (this.swallowAnswers > 0) {
        this.swallowAnswers -= 1;
        return end();
      }
      client.write(bytes);
    });
    client.on('end', () => upstream.end());
    upstream.on('end', () => client.end());
  }
}
