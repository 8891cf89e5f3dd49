import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { once } from 'node:events';
import { selfSignedCertificate } from '../certificate.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4s': 'video/iso.segment',
  '.ts': 'video/mp2t',
  '.m3u8': 'application/vnd.apple.mpegurl',
};

/** Serves films over https:// at an address of loopback, with a certificate that signed itself. */
export class FilmSite {
  /** Paths that were asked for, in order. */
  asked: string[] = [];
  private readonly answers = new Map<string, Answer>();

  private constructor(
    private readonly server: Server,
    private readonly host: string,
    /** PEM. */
    readonly certificate: string,
  ) {}

  /** Throws the system's error where the port is not to be had; default any free one. */
  static async open(host = '127.0.0.1', port = 0): Promise<FilmSite> {
    const { key, cert } = selfSignedCertificate([host]);
    const server = createServer({ key, cert });
    const site = new FilmSite(server, host, cert);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const path = (request.url ?? '').replace(/\?.*$/, '');
      site.asked.push(path);
      const answer = site.answers.get(path);
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    });
    server.on('tlsClientError', () => undefined).listen(port, host);
    await once(server, 'listening');
    return site;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path: string): URL {
    return new URL(path, `https://${this.host}:${this.port}`);
  }

  answer(path: string, answer: Answer): void {
    this.answers.set(path, answer);
  }

  page(path: string, html: string): void {
    this.answer(path, (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
  }

  redirect(path: string, location: string): void {
    this.answer(path, (_request, response) => response.writeHead(302, { location }).end());
  }

  /** Serves a file, also a part of it. */
  file(path: string, file: string, type = TYPES[extname(file)] ?? 'application/octet-stream'): void {
    this.answer(path, (request, response) => void sendFile(file, type, request, response));
  }

  files(base: string, folder: string, names: readonly string[]): void {
    for (const name of names) this.file(`${base}/${name}`, join(folder, name));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

async function sendFile(file: string, type: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { size } = await stat(file);
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  if (range === null) {
    response.writeHead(200, { 'content-type': type, 'content-length': size, 'accept-ranges': 'bytes' });
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response);
    return;
  }
  const [from, to] = [Number(range[1]), Math.min(range[2] ? Number(range[2]) : size - 1, size - 1)];
  response.writeHead(206, {
    'content-type': type,
    'content-range': `bytes ${from}-${to}/${size}`,
    'content-length': to - from + 1,
  });
  response.end((await readFile(file)).subarray(from, to + 1));
}
