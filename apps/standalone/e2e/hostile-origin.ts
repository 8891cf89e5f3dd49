import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { selfSignedCertificate } from '@adit/testing';

/** The one private address that the engine under test may fetch from, and one that it may not. */
const ALLOWED = '127.0.0.1';
export const FORBIDDEN = '127.0.0.2';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Web servers that behave badly: one where the engine may go, one where it may not, one that nobody vouches for. */
export class HostileOrigin {
  /** Requests, as `address path`. */
  readonly asked: string[] = [];
  readonly cert: string;
  private readonly servers: Server[] = [];
  private readonly answers: Record<string, Answer>;
  allowed = '';
  forbidden = '';
  untrusted = '';

  private constructor(
    private readonly photo: Buffer,
    private readonly trusted = selfSignedCertificate([ALLOWED, FORBIDDEN]),
  ) {
    this.cert = trusted.cert;
    this.answers = this.behaviours();
  }

  static async start(photo: Buffer): Promise<HostileOrigin> {
    const origin = new HostileOrigin(photo);
    origin.allowed = await origin.listen(ALLOWED, origin.trusted);
    origin.forbidden = await origin.listen(FORBIDDEN, origin.trusted);
    origin.untrusted = await origin.listen(ALLOWED, selfSignedCertificate([ALLOWED]));
    return origin;
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  private async listen(address: string, certificate: { key: string; cert: string }): Promise<string> {
    const server = createServer(certificate, (request, response) => {
      const { pathname } = new URL(request.url!, 'https://here');
      this.asked.push(`${address} ${pathname}`);
      response.on('error', () => undefined);
      const answer = this.answers[pathname] ?? ((_, missing) => missing.writeHead(404).end());
      answer(request, response);
    });
    this.servers.push(server);
    server.listen(0, address);
    await once(server, 'listening');
    return `https://${address}:${(server.address() as AddressInfo).port}`;
  }

  private behaviours(): Record<string, Answer> {
    const to =
      (location: () => string): Answer =>
      (_, response) =>
        void response.writeHead(302, { location: location() }).end();
    const bytes =
      (body: Buffer | string, headers: Record<string, string> = {}): Answer =>
      (_, response) =>
        void response.writeHead(200, headers).end(body);
    return {
      '/photo.jpg': bytes(this.photo),
      '/canary.jpg': bytes(this.photo),
      '/moved': to(() => '/photo.jpg'),
      '/to-private': to(() => `${this.forbidden}/canary.jpg`),
      '/to-metadata': to(() => 'https://169.254.169.254/latest/meta-data/'),
      '/to-file': to(() => 'file:///etc/passwd'),
      '/to-http': to(() => `${this.allowed.replace('https', 'http')}/canary.jpg`),
      '/to-itself': to(() => '/to-itself'),
      '/playlist': (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'video/mp4' })
          .end(`#EXTM3U\n#EXTINF:1,\n${this.allowed}/canary.jpg\n`),
      '/inwards.m3u8': (_, response) =>
        void response.end(
          `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${this.forbidden}/canary.jpg\n#EXT-X-ENDLIST\n`,
        ),
      '/packed': bytes(gzipSync(Buffer.alloc(8 << 20)), { 'content-encoding': 'gzip', 'content-type': 'image/jpeg' }),
      '/broken': (_, response) => void response.writeHead(500).end(),
      '/endless': (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(this.photo));
        };
        response.on('drain', more);
        more();
      },
      '/drip': (_, response) => {
        const drip = setInterval(() => response.write('x'), 200);
        response.on('close', () => clearInterval(drip));
      },
      '/silent': (_, response) => response.flushHeaders(),
      '/cut-short': (_, response) => {
        response.writeHead(200, { 'content-length': this.photo.length });
        response.write(this.photo.subarray(0, this.photo.length / 2), () => response.destroy());
      },
      '/claims-terabytes': (_, response) => {
        response.writeHead(200, { 'content-length': 1e15 }).write(this.photo);
      },
    };
  }
}
