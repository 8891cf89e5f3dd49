import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash, pbkdf2, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import { fetchSource, type FetchOptions } from './fetch-source.js';

const content = randomBytes(300_000);
const digest = createHash('sha256').update(content).digest('hex');

let folder: string;
let root: string;
let server: Server;
let port: number;
let seen: IncomingMessage[] = [];

const pages: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/film': (_request, response) => response.end(content),
  '/chunked': (_request, response) => {
    response.write(content.subarray(0, 1000));
    response.end(content.subarray(1000));
  },
  '/cut': (_request, response) => {
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, 1000), () => response.destroy());
  },
  '/silent': () => undefined,
  '/stalls': (_request, response) => {
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, 1000));
  },
  '/endless': (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(content));
      response.once('drain', more);
    };
    more();
  },
  '/drip': (_request, response) => {
    const timer = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(timer));
  },
  '/missing': (_request, response) => response.writeHead(404).end(),
  '/busy': (_request, response) => response.writeHead(503).end(),
  '/there': (_request, response) => response.writeHead(302, { location: '/film' }).end(),
  '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/to-private': (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  '/to-private-host': (_request, response) =>
    response.writeHead(307, { location: `http://rebound.test:${port}/film` }).end(),
  '/to-file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/to-user': (_request, response) => response.writeHead(302, { location: `http://a:b@127.0.0.1:${port}/film` }).end(),
  '/to-nowhere': (_request, response) => response.writeHead(302).end(),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-fetch-'));
  root = join(folder, 'root');
  await mkdir(join(root, 'sub'), { recursive: true });
  await writeFile(join(root, 'film.mp4'), content);
  await writeFile(join(folder, 'secret'), 'secret');
  await symlink(join(folder, 'secret'), join(root, 'link.mp4'));
  await symlink(folder, join(root, 'up'));
  await symlink('film.mp4', join(root, 'inner.mp4'));
  execFileSync('mkfifo', [join(root, 'pipe.mp4')]);
  server = createServer((request, response) => {
    seen.push(request);
    (pages[request.url ?? ''] ?? pages['/missing'])?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

function options(more: Partial<FetchOptions> = {}): FetchOptions {
  return {
    directory: join(folder, 'private'),
    localRoots: [root],
    allowHttp: true,
    allowPrivateAddresses: ['127.0.0.1/32'],
    maxBytes: 10_000_000,
    timeoutSeconds: 20,
    idleTimeoutSeconds: 5,
    openStorage: () => Promise.reject(new AditError('SOURCE_REFUSED', 'no such key')),
    ...more,
  };
}

async function fails(uri: string, more: Partial<FetchOptions> = {}): Promise<string> {
  const error = await fetchSource(uri, options(more)).then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  // No partial file stays behind.
  expect(await readdir(join(folder, 'private')).catch(() => [])).toEqual([]);
  return error instanceof AditError ? error.code : `not ours: ${String(error)}`;
}

const web = (page: string) => `http://127.0.0.1:${port}${page}`;

describe('fetchSource', () => {
  it.each(['/film', '/chunked', '/there'])('copies and digests %s', async (page) => {
    seen = [];
    const copy = await fetchSource(web(page), options());
    expect(copy).toMatchObject({ size: content.length, digest });
    expect(await readFile(copy.path)).toEqual(content);
    expect((await stat(copy.path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'private'))).mode & 0o777).toBe(0o700);
    expect(seen.some(({ headers }) => 'cookie' in headers || 'authorization' in headers)).toBe(false);
    await rm(copy.path);
  });

  /** @hardening overload: A server of sources ends the engine */
  it('copies 50 sources of a server that closes its connection after each body', async () => {
    const large = Buffer.alloc(2_000_000, content);
    const closing = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      // Body and end are sent at once, so that the end arrives while the body is still being written to disk.
      socket.once('data', () => {
        socket.write(`HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Length: ${large.length}\r\n\r\n`);
        socket.end(large);
      });
    });
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    try {
      for (let i = 0; i < 50; i++) {
        const copy = await fetchSource(`http://127.0.0.1:${(closing.address() as AddressInfo).port}/`, options());
        expect(copy.size).toBe(large.length);
        await rm(copy.path);
      }
    } finally {
      await new Promise((resolve) => closing.close(resolve));
    }
  });

  it('copies local files and links within the roots', async () => {
    for (const name of ['film.mp4', 'inner.mp4', 'sub/../film.mp4']) {
      const copy = await fetchSource(`${root}/${name}`, options());
      expect(copy.digest).toBe(digest);
      await rm(copy.path);
    }
  });

  it('copies uploaded objects, and reports one that ends early', async () => {
    const openStorage = () => Promise.resolve({ stream: Readable.from([content]), size: content.length });
    const copy = await fetchSource('storage://abc', options({ openStorage }));
    expect(copy.digest).toBe(digest);
    await rm(copy.path);
    const short = () => Promise.resolve({ stream: Readable.from([content]), size: content.length + 1 });
    expect(await fails('storage://abc', { openStorage: short })).toBe('UNAVAILABLE');
    expect(await fails('storage://abc')).toBe('SOURCE_REFUSED');
  });

  it.each([
    ['/missing', 'SOURCE_REFUSED'],
    ['/busy', 'SOURCE_UNAVAILABLE'],
    ['/cut', 'SOURCE_UNAVAILABLE'],
    ['/loop', 'SOURCE_REFUSED'],
    ['/to-private', 'SOURCE_REFUSED'],
    ['/to-file', 'SOURCE_REFUSED'],
    ['/to-user', 'SOURCE_REFUSED'],
    ['/to-nowhere', 'SOURCE_REFUSED'],
  ])('%s: %s', async (page, code) => {
    expect(await fails(web(page))).toBe(code);
  });

  it('stops sources that never answer, stall, trickle or never end', async () => {
    expect(await fails(web('/silent'), { idleTimeoutSeconds: 0.2 })).toBe('SOURCE_UNAVAILABLE');
    expect(await fails(web('/stalls'), { idleTimeoutSeconds: 0.2 })).toBe('SOURCE_UNAVAILABLE');
    expect(await fails(web('/drip'), { timeoutSeconds: 1, idleTimeoutSeconds: 5 })).toBe('LIMIT_EXCEEDED');
    expect(await fails(web('/endless'), { maxBytes: 2_000_000 })).toBe('TOO_LARGE');
    expect(await fails(web('/film'), { maxBytes: 299_999 })).toBe('TOO_LARGE');
    expect(await fails(`${root}/film.mp4`, { maxBytes: 299_999 })).toBe('TOO_LARGE');
  });

  it('reports silence in the same way while the disk delays the copy', async () => {
    // All threads that open files are busy, so the connection's timeout fires first.
    for (let at = 0; at < 8; at += 1) pbkdf2('a', 'b', 200_000, 64, 'sha512', () => undefined);
    const fetched = fetchSource(web('/stalls'), options({ idleTimeoutSeconds: 0.3 }));
    await expect(fetched).rejects.toThrow('The source sent nothing for 0.3 s.');
  });

  it('stops on abort', async () => {
    const controller = new AbortController();
    const running = fetchSource(web('/stalls'), options({ signal: controller.signal }));
    setTimeout(() => controller.abort(new Error('deleted')), 100);
    await expect(running).rejects.toThrow('deleted');
  });

  it('refuses a name that resolves to a private address, also beside a public one', async () => {
    for (const found of [['10.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::1'], ['::ffff:127.0.0.1']]) {
      const resolveHost = () =>
        Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
      expect(await fails('http://inner.test/film', { resolveHost })).toBe('SOURCE_REFUSED');
    }
  });

  it('connects to the address it checked: a second answer of the resolver is never used', async () => {
    let asked = 0;
    const resolveHost = () => {
      asked++;
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    };
    const copy = await fetchSource(`http://rebound.test:${port}/film`, options({ resolveHost }));
    expect(copy.digest).toBe(digest);
    expect(asked).toBe(1);
    await rm(copy.path);
    // A later redirect is resolved and checked again.
    asked = 0;
    const second = await fails(web('/to-private-host'), {
      resolveHost: () => Promise.resolve([{ address: '127.0.0.2', family: 4 }]),
    });
    expect(second).toBe('SOURCE_REFUSED');
  });

  it('does not use a proxy from the environment', async () => {
    process.env.http_proxy = process.env.HTTP_PROXY = 'http://127.0.0.1:9';
    try {
      const copy = await fetchSource(web('/film'), options());
      await rm(copy.path);
    } finally {
      delete process.env.http_proxy;
      delete process.env.HTTP_PROXY;
    }
  });

  it('refuses paths that lead out of the roots, folders and pipes', async () => {
    for (const name of ['link.mp4', 'up/secret', 'sub', 'pipe.mp4', 'missing.mp4']) {
      expect(await fails(`${root}/${name}`)).toBe('SOURCE_REFUSED');
    }
    expect(await fails(join(folder, 'secret'))).toBe('SOURCE_REFUSED');
  });

  it('says how to get films of a platform when yt-dlp is missing', async () => {
    const ytDlp = join(folder, 'no-such-yt-dlp');
    const begun = fetchSource('https://youtu.be/abc', { ...options(), ytDlp });
    await expect(begun).rejects.toThrow(/yt-dlp, which is not installed/);
  });
});
