import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

const post = async (body: string | ReadableStream) => {
  const headers = { authorization: `Key ${gateway.key}`, 'content-type': 'application/json' };
  const reply = await fetch(jobs, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  await reply.arrayBuffer();
  return reply;
};
const wrong = (bytes: number): string => `{"x":"${'y'.repeat(bytes)}"}`;

describe('large requests that are refused', () => {
  it('have to wait when a key has sent too many bytes of them; small ones pass, and all when time has passed', async () => {
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

  it('have to wait for two minutes at the most, however large one was', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 300_000);
    expect((await post(wrong(9 << 20))).status).toBe(413);
    const held = await post(wrong(700_000));
    expect([held.status, Number(held.headers.get('retry-after')) <= 120]).toEqual([429, true]);
  });
});
