/** @needs ffmpeg, weights, build */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { codingFor } from './server/compression.js';

const PAGE = 'https://newsroom.example.org';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ corsOrigins: [PAGE] });
}, BOOT_MS);
afterAll(() => gateway?.close());

/** Sends a request as from the wire, without a key unless `headers` have one. */
function inject(method: 'GET' | 'POST' | 'OPTIONS' | 'HEAD', url: string, headers: Record<string, string> = {}) {
  return gateway.app.inject({ method, url, headers });
}
const withKey = (): Record<string, string> => ({ authorization: `Key ${gateway.key}` });

describe('pages of other origins', () => {
  /** @hardening api: A page in a browser cannot use the API */
  it('listed origins are let in: preflights need no key, and tus gets its headers', async () => {
    const asked = {
      origin: PAGE,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'tus-resumable',
    };
    for (const url of ['/api/v1/jobs/', '/api/v1/storage/uploads/', '/api/v1/storage/uploads/1/']) {
      const { statusCode, headers, payload } = await inject('OPTIONS', url, asked);
      expect([url, statusCode, payload]).toEqual([url, 204, '']);
      expect(headers['access-control-allow-origin']).toBe(PAGE);
      expect(headers['access-control-allow-methods']).toMatch(/\bPATCH\b.*\bDELETE\b/);
      for (const name of [
        'Authorization',
        'Idempotency-Key',
        'Prefer',
        'Tus-Resumable',
        'Upload-Offset',
        'Upload-Metadata',
      ]) {
        expect(String(headers['access-control-allow-headers']).split(', ')).toContain(name);
      }
      expect(headers['vary']).toBe('Origin');
      expect(headers['x-request-id']).toBeDefined();
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('listed origins may read what replies carry, refusals included', async () => {
    for (const headers of [withKey(), {}]) {
      const reply = await inject('GET', '/api/v1/jobs/', { ...headers, origin: PAGE });
      expect(reply.headers['access-control-allow-origin']).toBe(PAGE);
      const shown = String(reply.headers['access-control-expose-headers']).split(', ');
      for (const name of [
        'X-Request-Id',
        'ETag',
        'Location',
        'Retry-After',
        'Upload-Offset',
        'Tus-Resumable',
        'Idempotency-Replayed',
      ]) {
        expect(shown).toContain(name);
      }
    }
  });

  it('unlisted origins are refused', async () => {
    for (const origin of [
      'https://evil.example.org',
      'null',
      `${PAGE}.evil.example.org`,
      'http://newsroom.example.org',
    ]) {
      const preflight = await inject('OPTIONS', '/api/v1/jobs/', { origin, 'access-control-request-method': 'GET' });
      const reply = await inject('GET', '/api/v1/jobs/', { ...withKey(), origin });
      expect([preflight.statusCode >= 400, reply.statusCode]).toEqual([true, 200]);
      for (const { headers } of [preflight, reply]) {
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers['vary']).toMatch(/^Origin/);
      }
    }
  });

  it('unlisted origins leave tus its own OPTIONS', async () => {
    const { statusCode, headers } = await inject('OPTIONS', '/api/v1/storage/uploads/', { ...withKey(), origin: PAGE });
    expect([statusCode, headers['tus-version']]).toEqual([204, '1.0.0']);
  });
});

describe('replies in a browser’s cache', () => {
  it('a cached reply is asked for again with its ETag, and answered 304 while it is the same', async () => {
    const first = await inject('GET', '/api/v1/modules/', withKey());
    expect(first.headers['cache-control']).toBe('private, no-cache');
    const etag = String(first.headers['etag']);
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await inject('GET', '/api/v1/modules/', { ...withKey(), 'if-none-match': `"x", ${etag}` });
    expect([again.statusCode, again.payload, again.headers['etag']]).toEqual([304, '', etag]);
    // The length of the text that is not sent, or no length at all (RFC 9110, section 8.6).
    expect([again.headers['content-type'], again.headers['content-length']]).toEqual([undefined, undefined]);
    const other = await inject('GET', '/api/v1/modules/', { ...withKey(), 'if-none-match': '"x"' });
    expect([other.statusCode, other.headers['etag']]).toEqual([200, etag]);
    const head = await inject('HEAD', '/api/v1/modules/', withKey());
    expect([head.statusCode, head.payload, head.headers['etag']]).toEqual([200, '', etag]);
  });

  it('a changed reply has a new ETag', async () => {
    const before = await inject('GET', '/api/v1/batches/', withKey());
    await gateway.ask('POST', '/api/v1/batches/', { name: 'Election night' });
    const etag = String(before.headers['etag']);
    const after = await inject('GET', '/api/v1/batches/', { ...withKey(), 'if-none-match': etag });
    expect([after.statusCode, after.headers['etag'] === etag]).toEqual([200, false]);
  });

  it('refusals, secrets, probes and replies to POST are not cached', async () => {
    const kept = async (method: 'GET' | 'POST', url: string, headers = withKey()): Promise<unknown> =>
      (await inject(method, url, headers)).headers['cache-control'];
    expect(await kept('GET', '/api/v1/jobs/0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11/')).toBe('no-store');
    expect(await kept('GET', '/api/v1/jobs/', {})).toBe('no-store');
    expect(await kept('GET', '/api/v1/signing-secret/')).toBe('no-store');
    expect(await kept('GET', '/api/v1/webhooks/')).toBe('no-store');
    expect(await kept('POST', '/api/v1/signing-secret/')).toBe('no-store');
    expect(await kept('GET', '/readyz', {})).toBe('no-store');
  });
});

describe('compression of replies', () => {
  it.each([
    ['br', (bytes: Buffer) => brotliDecompressSync(bytes)],
    ['gzip', (bytes: Buffer) => gunzipSync(bytes)],
  ] as const)('is sent as %s to whom takes that', async (coding, decompress) => {
    const url = '/api/openapi.json';
    const plain = await inject('GET', url);
    const reply = await inject('GET', url, { 'accept-encoding': coding });
    expect([reply.statusCode, reply.headers['content-encoding']]).toEqual([200, coding]);
    expect(decompress(reply.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(Number(reply.headers['content-length'])).toBe(reply.rawPayload.length);
    expect(reply.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);
    expect([plain.headers['vary'], reply.headers['vary']]).toEqual([
      'Origin, Accept-Encoding',
      'Origin, Accept-Encoding',
    ]);
    expect(reply.headers['etag']).toBe(plain.headers['etag']);
    const again = await inject('GET', url, {
      'accept-encoding': coding,
      'if-none-match': String(reply.headers['etag']),
    });
    expect([again.statusCode, again.payload]).toEqual([304, '']);
  });

  it('only JSON of more than a kilobyte is compressed', async () => {
    const accepting = { 'accept-encoding': 'gzip, br' };
    for (const url of ['/api/v1/batches/?limit=1', '/api/docs/swagger-ui-bundle.js', '/metrics']) {
      expect([url, (await inject('GET', url, { ...withKey(), ...accepting })).headers['content-encoding']]).toEqual([
        url,
        undefined,
      ]);
    }
  });

  it.each([
    [undefined, null],
    ['', null],
    ['deflate', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['*', 'br'],
    ['identity;q=1, *;q=0', null],
    ['GZIP', 'gzip'],
  ])('out of Accept-Encoding: %s %s is chosen', (header, coding) => {
    expect(codingFor(header)).toBe(coding);
  });
});

describe('the root address', () => {
  it('the root address leads to the console', async () => {
    const { statusCode, headers } = await inject('GET', '/');
    expect([statusCode, headers['location']]).toEqual([302, 'console/']);
  });

  /** @hardening overload: A form comes where JSON is taken, or an id is very long */
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])('does not read %s', async (type) => {
    const reply = await gateway.app.inject({
      ...{ method: 'POST', url: '/api/v1/jobs/', payload: '{"sources":[]}' },
      headers: { ...withKey(), 'content-type': type },
    });
    expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it.each(['gzip', 'br', 'deflate, gzip'])('does not read a body in %s', async (encoding) => {
    const reply = await gateway.app.inject({
      ...{ method: 'POST', url: '/api/v1/jobs/', payload: '{"sources":[]}' },
      headers: { ...withKey(), 'content-type': 'application/json', 'content-encoding': encoding },
    });
    expect([reply.statusCode, reply.json<{ code: string }>().code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});
