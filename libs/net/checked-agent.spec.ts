import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { AddressPolicy } from './addresses.js';
import { checkedAgent, refusalIn } from './checked-agent.js';
import type { ResolveHost } from './resolve.js';
import { PRIVATE_HOSTS } from './testing/private-hosts.js';
import { webAddressFault } from './web-address.js';

const none = new AddressPolicy();
const PRIVATE = [
  ...PRIVATE_HOSTS.map((host) => `http://${host}`),
  // user names
  'http://example.org@127.0.0.1',
  'http://127.0.0.1@example.org',
  'http://:pass@example.org',
];

let server: Server;
let port: number;
let asked = 0;

beforeAll(async () => {
  server = createServer((_request, response) => {
    asked++;
    response.end('here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function connect(url: string, addresses: AddressPolicy, resolveHost?: ResolveHost): Promise<string> {
  const agent = checkedAgent({ addresses, timeoutMs: 2000, resolveHost });
  try {
    const { body } = await request(url, { dispatcher: agent });
    return await body.text();
  } catch (error) {
    return refusalIn(error)?.code ?? String(error);
  } finally {
    await agent.destroy();
  }
}

const answers =
  (...found: string[]): ResolveHost =>
  () =>
    Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

describe('a private address', () => {
  it(`a private address is found in ${PRIVATE.length} spellings, before anything is opened`, () => {
    expect(PRIVATE.length).toBeGreaterThanOrEqual(60);
    const passed = PRIVATE.filter(
      (text) => webAddressFault(new URL(text), { addresses: none, allowHttp: true }) === null,
    );
    expect(passed).toEqual([]);
  });

  it('a private address is refused at connect time too, whoever checked the address before', async () => {
    asked = 0;
    const spelled = [`127.0.0.1`, `2130706433`, `0x7f.1`, `0177.0.0.1`, `[::ffff:127.0.0.1]`, `[::1]`];
    for (const host of spelled) expect(await connect(`http://${host}:${port}/`, none)).toBe('SOURCE_REFUSED');
    expect(await connect(`http://localhost:${port}/`, none)).toBe('SOURCE_REFUSED');
    expect(asked).toBe(0);
  });

  it.each([
    [['10.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['fe80::1%lo']],
    [['169.254.169.254']],
    [['0.0.0.0']],
  ])('a private address is refused behind a name that resolves to %j', async (found) => {
    asked = 0;
    expect(await connect(`http://inner.test:${port}/`, none, answers(...found))).toBe('SOURCE_REFUSED');
    expect(asked).toBe(0);
  });

  /** @hardening privacy: A refused address says what a name led to (SSRF) */
  it('a refusal does not name the address, but the setting that would allow it', async () => {
    const agent = checkedAgent({
      addresses: new AddressPolicy([], 'ADIT_SOMETHING'),
      timeoutMs: 2000,
      resolveHost: answers('10.4.5.6'),
    });
    const refusal = refusalIn(
      await request('http://inner.test/', { dispatcher: agent }).catch((error: unknown) => error),
    );
    await agent.destroy();
    expect(refusal?.message).toMatch(/^The host inner\.test is refused: .* not a public address \(ADIT_SOMETHING /);
    expect(refusal?.message).not.toContain('10.4');
  });

  it('an allowed address is reached, and the checked one is the one that is connected to', async () => {
    const loopback = new AddressPolicy(['127.0.0.1/32']);
    let lookups = 0;
    const rebinding: ResolveHost = (hostname) => answers(++lookups === 1 ? '127.0.0.1' : '127.0.0.2')(hostname);
    expect(await connect(`http://rebound.test:${port}/`, loopback, rebinding)).toBe('here');
    expect(lookups).toBe(1);
    expect(await connect(`http://127.0.0.2:${port}/`, loopback)).toBe('SOURCE_REFUSED');
    expect(await connect('http://nowhere.test/', loopback, answers())).toBe('SOURCE_REFUSED');
  });
});

it('http:// is for those who allow it, other schemes for nobody', () => {
  const fault = (text: string, allowHttp: boolean) => webAddressFault(new URL(text), { addresses: none, allowHttp });
  expect(fault('http://example.org/', false)).toMatch(/use https/);
  expect(fault('http://example.org/', true)).toBeNull();
  expect(fault('https://example.org:8443/hook?x=1', false)).toBeNull();
  expect(fault('file:///etc/passwd', true)).toMatch(/not a web address/);
  expect(fault('gopher://example.org/', true)).toMatch(/not a web address/);
});
