/** @needs weights, build */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ failedLoginsPerMinute: 3, trustProxy: ['127.0.0.1'] });
}, BOOT_MS);
afterAll(() => gateway?.close());
// A try comes back every twenty seconds, which a busy machine takes.
beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(performance.now()));
afterEach(() => void jest.restoreAllMocks());

const from = (address: string, authorization: string) =>
  gateway.ask('GET', '/api/v1/jobs/', undefined, { 'x-forwarded-for': address, authorization });

describe('wrong credentials', () => {
  /** @hardening overload: Bodies never end, credentials are guessed, a quota is passed */
  it('wrong credentials are slowed by address, of whatever kind they are, and say when to come again', async () => {
    const key = `Key ${gateway.key}`;
    expect((await from('198.51.100.1', key)).status).toBe(200);
    const statuses: number[] = [];
    for (const wrong of ['Key adit_a', 'Bearer aaaaaaaaaaaaaaaaaaaa.e30.e30.x', 'Key adit_b', 'Key adit_c']) {
      statuses.push((await from('198.51.100.1', wrong)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
    const slowed = await from('198.51.100.1', 'Key adit_d');
    expect(slowed.json()['code']).toBe('RATE_LIMITED');
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    // Who was let in before, and who comes from elsewhere, does not wait.
    expect((await from('198.51.100.1', key)).status).toBe(200);
    expect((await from('198.51.100.2', 'Key adit_a')).status).toBe(401);
    // No credentials are no try.
    expect((await from('198.51.100.1', '')).status).toBe(401);
  });

  it('wrong credentials count for the whole network that one client of IPv6 has', async () => {
    for (const last of ['1', '2', '3']) expect((await from(`2001:db8:1:2::${last}`, 'Key adit_a')).status).toBe(401);
    expect((await from('2001:db8:1:2:ffff::4', 'Key adit_a')).status).toBe(429);
    expect((await from('2001:db8:1:3::4', 'Key adit_a')).status).toBe(401);
  });
});
