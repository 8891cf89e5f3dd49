/** @needs weights, build */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SignJWT } from 'jose';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

let gateway: TestGateway;
let jobs: string;

beforeAll(async () => {
  gateway = await startGateway({ refusedBytesPerMinute: 1 << 20 });
  await gateway.app.listen(0, '127.0.0.1');
  jobs = `${await gateway.app.getUrl()}/api/v1/jobs/`;
}, BOOT_MS);
afterAll(() => gateway?.close());
// Bytes come back with time, which a busy machine takes.
beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(performance.now()));
afterEach(() => void jest.restoreAllMocks());

const post = async (
  body: string | ReadableStream,
  { signal, token }: { signal?: AbortSignal | undefined; token?: string } = {},
) => {
  const authorization = token === undefined ? `Key ${gateway.key}` : `Bearer ${token}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const url = token === undefined ? jobs : new URL('../transcripts/', jobs);
  const reply = await fetch(url, { method: 'POST', headers, body, signal, duplex: 'half' } as RequestInit);
  await reply.arrayBuffer();
  return reply;
};
const wrong = (bytes: number): string => `{"x":"${'y'.repeat(bytes)}"}`;

describe('large requests that are refused', () => {
  it('large requests wait when a key has sent too many bytes of them; small ones pass, and all when time has passed', async () => {
    expect((await post(wrong(700_000))).status).toBe(400);
    expect((await post(wrong(700_000))).status).toBe(400);
    const held = await post(wrong(700_000));
    expect(held.status).toBe(429);
    expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0);
    // Also where nobody says how many bytes are to come.
    const pieces = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.from(wrong(100_000)));
        controller.close();
      },
    });
    expect((await post(pieces)).status).toBe(429);
    expect((await post(wrong(1_000))).status).toBe(400);
    expect((await gateway.ask('GET', '/api/v1/jobs/')).status).toBe(200);
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    expect((await post(wrong(700_000))).status).toBe(400);
  });

  it('large requests wait for two minutes at the most, however large one was', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 300_000);
    expect((await post(wrong(9 << 20))).status).toBe(413);
    const held = await post(wrong(700_000));
    expect([held.status, Number(held.headers.get('retry-after')) <= 120]).toEqual([429, true]);
  });

  it('refusals are limited to a few a second once a key has sent too many: one that never stops costs nobody much', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 375_000);
    expect((await post(wrong(2 << 20))).status).toBe(400);
    const [since, statuses] = [Date.now(), new Set<number>()];
    let refused = 0;
    for (; Date.now() - since < 2_000; refused++) statuses.add((await post(wrong(700_000))).status);
    expect([...statuses]).toEqual([429]);
    expect(refused).toBeLessThanOrEqual(9);
    // No more of them wait than there is time for; the others are not even thrown away, which some clients take for a fault.
    const many = await Promise.allSettled(Array.from({ length: 30 }, () => post(wrong(700_000))));
    const answered = many.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []));
    expect(answered.map(({ status }) => status)).toEqual(answered.map(() => 429));
    const waited = answered.filter(({ headers }) => headers.get('connection') !== 'close');
    expect(waited.length).toBeGreaterThanOrEqual(20);
    expect(waited.length).toBeLessThan(30);
  }, 30_000);

  /** A form with a model, which goes to the disk; what is wrong with it shows when it was read. */
  const postModel = async () => {
    const form = new FormData();
    form.append('name', 'helmets');
    form.append('file', new Blob([new Uint8Array(3 << 20)]), 'model.onnx');
    const headers = { authorization: `Key ${gateway.key}` };
    const asked = await fetch(new URL('../models/', jobs), { method: 'POST', headers, body: form });
    await asked.arrayBuffer();
    return asked.status;
  };

  it('forms with a model are not counted, since they go to the disk', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 450_000);
    expect(await postModel()).toBe(400);
    expect((await post(wrong(700_000))).status).toBe(400);
  });

  it('forms with a model are not held back', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 525_000);
    expect((await post(wrong(2 << 20))).status).toBe(400);
    expect((await post(wrong(700_000))).status).toBe(429);
    expect(await postModel()).toBe(400);
  });

  /** @hardening overload: A request has megabytes of names and keys */
  it('requests that come at once are not all read', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 600_000);
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(wrong(700_000))));
    const statuses = replies.map(({ status }) => status);
    // Two use up the minute's bytes, while four are read.
    expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(5);
    expect(statuses.filter((status) => status !== 400 && status !== 429)).toEqual([]);
  });
});

describe('the tokens of one access key', () => {
  let key: { key: string; secret: string };
  beforeAll(async () => {
    const order = { name: 'editor', type: 'jwt', scopes: ['transcript.write'] };
    key = (await gateway.ask('POST', '/api/v1/access-keys/', order)).json();
  });
  const tokenOf = async (claims: { sub?: string }): Promise<string> => {
    const jwt = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' });
    return `${key.key}.${await jwt.sign(Buffer.from(key.secret))}`;
  };

  it('tokens are counted by their subject, else by their address', async () => {
    const [ada, eve, nobody] = [await tokenOf({ sub: 'ada' }), await tokenOf({ sub: 'eve' }), await tokenOf({})];
    const statuses = [];
    for (const token of [ada, ada, ada, eve, nobody, nobody, nobody, eve]) {
      statuses.push((await post(wrong(700_000), { token })).status);
    }
    expect(statuses).toEqual([400, 400, 429, 400, 400, 400, 429, 400]);
  });

  it('tokens wait for each other by subject: unfinished bodies of one keep nobody else waiting', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 150_000);
    const [ada, eve] = [await tokenOf({ sub: 'ada' }), await tokenOf({ sub: 'eve' })];
    const gone = new AbortController();
    const came = requestsThatCome(4);
    for (let each = 0; each < 4; each += 1) {
      const body = new ReadableStream({ start: (to) => to.enqueue(Buffer.from(wrong(70_000))) });
      post(body, { token: ada, signal: gone.signal }).catch(() => undefined);
    }
    await came;
    expect((await post(wrong(80_000), { token: eve })).status).toBe(400);
    gone.abort();
  });

  /** Resolves when so many have come. */
  function requestsThatCome(count: number): Promise<void> {
    return new Promise((resolve) => {
      const server = gateway.app.getHttpServer();
      let left = count;
      const seen = (): void => {
        left -= 1;
        if (left > 0) return;
        server.off('request', seen);
        resolve();
      };
      server.on('request', seen);
    });
  }
});

describe('large requests that are right', () => {
  const order = JSON.stringify({
    sources: Array.from({ length: 2_000 }, (_, at) => `https://media.example.org/${'x'.repeat(40)}/${at}.jpg`),
    modules: { face_recognition: {} },
  });

  it('valid large requests wait for each other, and all are taken, whoever goes away', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 900_000);
    const gone = new AbortController();
    const given = Array.from({ length: 4 }, (_, at) => {
      let controller!: ReadableStreamDefaultController;
      const body = new ReadableStream({ start: (one) => void (controller = one) });
      controller.enqueue(Buffer.from(order.slice(0, 70_000)));
      const posted = post(body, { signal: at < 2 ? gone.signal : undefined });
      posted.catch(() => undefined);
      return { controller, posted };
    });
    // All turns are taken by those that are still sent; the others wait.
    const waiting = Array.from({ length: 10 }, () => post(order));
    expect((await post('{}')).status).toBe(400);
    gone.abort();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
    for (const { controller } of given.slice(2)) {
      controller.enqueue(Buffer.from(order.slice(70_000)));
      controller.close();
    }
    expect((await Promise.all(given.slice(2).map(({ posted }) => posted))).map(({ status }) => status)).toEqual([
      200, 200,
    ]);
  });
});
