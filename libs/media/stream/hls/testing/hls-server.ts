import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Page = Buffer | string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A web server of this machine whose pages change while it runs. */
export class HlsServer {
  readonly pages = new Map<string, Page>();
  /** Answers for all other paths. */
  fallback: Page | undefined;
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(address = '127.0.0.1'): Promise<HlsServer> {
    const server = createServer();
    const started = new HlsServer(server);
    server.on('request', (request, response) => started.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    return started;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  at(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  timesAsked(path: string): number {
    return this.asked.filter((each) => each === path).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.asked.push(path);
    const page = this.pages.get(path) ?? this.fallback;
    if (typeof page === 'function') page(request, response);
    else if (page === undefined) response.writeHead(404).end();
    else response.end(page);
  }
}

/** Answers with the bytes that a request asks for. */
export function ranged(content: Buffer): Page {
  return (request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (from === undefined || to === undefined) return void response.writeHead(400).end();
    response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${content.length}` });
    response.end(content.subarray(Number(from), Number(to) + 1));
  };
}

/** A media playlist of entries: each the lines of one segment. */
export function playlistOf(
  entries: readonly string[],
  {
    first = 0,
    target = 1,
    end = false,
    head = '',
  }: { first?: number; target?: number; end?: boolean; head?: string } = {},
): string {
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${target}`,
    `#EXT-X-MEDIA-SEQUENCE:${first}`,
    ...(head === '' ? [] : [head]),
    ...entries,
    ...(end ? ['#EXT-X-ENDLIST'] : []),
    '',
  ].join('\n');
}

/** The lines of a segment of one second, with tags before them. */
export function entry(address: string, ...tags: string[]): string {
  return [...tags, '#EXTINF:1.000,', address].join('\n');
}
