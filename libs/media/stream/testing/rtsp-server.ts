import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A request as the server got it. */
export interface SeenRequest {
  method: string;
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
}

/** What a server answers: an RTSP message without CSeq, `silence`, or the end of the connection. */
export type Reply = { status?: number; headers?: Record<string, string>; body?: string } | 'silence' | 'close' | Buffer;

/** A server of RTSP whose answers a spec decides, for what no real server says. */
export class RtspServer {
  readonly seen: SeenRequest[] = [];
  readonly sockets = new Set<Socket>();
  connections = 0;

  private constructor(
    private readonly server: Server,
    public answer: (request: SeenRequest, socket: Socket) => Reply,
  ) {
    server.on('connection', (socket) => this.serve(socket));
  }

  static async start(answer: (request: SeenRequest, socket: Socket) => Reply): Promise<RtspServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RtspServer(server, answer);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `rtsp://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      for (let end; (end = text.indexOf('\r\n\r\n')) >= 0; text = text.slice(end + 4)) {
        const [start = '', ...lines] = text.slice(0, end).split('\r\n');
        const [method = '', url = ''] = start.replace(/^.*\$/s, '').split(' ');
        const headers = Object.fromEntries(
          lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*:\s*/, '')]),
        );
        const request = { method, url, headers };
        this.seen.push(request);
        this.say(socket, request, this.answer(request, socket));
      }
    });
  }

  private say(socket: Socket, { headers: { cseq = '0' } }: SeenRequest, reply: Reply): void {
    if (reply === 'silence') return;
    if (reply === 'close') return void socket.end();
    if (Buffer.isBuffer(reply)) return void socket.write(reply);
    const { status = 200, headers = {}, body = '' } = reply;
    const lines = [
      `RTSP/1.0 ${status} Said`,
      `CSeq: ${cseq}`,
      ...Object.entries(headers).map((each) => each.join(': ')),
    ];
    if (body !== '') lines.push(`Content-Length: ${body.length}`);
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  }
}

/** Describes G.711 sound, which a server can make up: any byte is a sample. */
export function soundDescription(control: string, more: readonly string[] = []): string {
  const lines = ['v=0', 'o=- 0 0 IN IP4 127.0.0.1', 's=x', 'c=IN IP4 0.0.0.0', 't=0 0', ...more];
  return [...lines, 'm=audio 0 RTP/AVP 0', `a=control:${control}`, ''].join('\r\n');
}

/** An RTP packet of 20 ms of G.711 sound. */
export function soundPacket(sequence: number): Buffer {
  const packet = Buffer.alloc(12 + 160, sequence & 0x7f);
  packet.writeUInt16BE(0x8000, 0);
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE(sequence * 160, 4);
  packet.writeUInt32BE(7, 8);
  return packet;
}
