/** @needs build */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { faultsOf } from './check-answer.js';
import { filled, OPERATIONS, variablesOf } from './operations.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
}, BOOT_MS);
afterAll(() => gateway?.close());

async function errorsOf(url: string): Promise<[status: number, message: unknown]> {
  const answer = await gateway.ask('GET', url);
  return [answer.status, answer.json<{ errors?: { message: string }[] }>().errors?.map(({ message }) => message)];
}

describe('an unknown query parameter', () => {
  it.each([
    ['/api/v1/jobs/?ofset=3', /^\?ofset is not a query parameter of this path; did you mean offset\? It has .*limit/],
    ['/api/v1/jobs/?created_before=2026-01-01', /^\?created_before is not .*time_created_to/],
    ['/api/v1/models/?ofset=3', /did you mean offset\?/],
    ['/api/v1/modules/?limit=3', /^\?limit is not a query parameter of this path, which has none\.$/],
    [`/api/v1/jobs/?${'x'.repeat(200)}=1`, /^\?x{100} is not/],
  ])('an unknown parameter is refused with the nearest known one: %s', async (url, message) => {
    expect(await errorsOf(url)).toEqual([400, [expect.stringMatching(message)]]);
  });

  it.each(OPERATIONS.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'is refused by %s',
    async (_, operation) => {
      const { method, path } = operation;
      const url = filled(
        path,
        variablesOf(path).map(() => randomUUID()),
      );
      const answer = await gateway.ask(method as 'GET', `${url}?ofset=3`);
      expect([answer.status, faultsOf(operation, answer)]).toEqual([400, []]);
      if (method !== 'HEAD') {
        expect(answer.json()['errors']).toContainEqual(expect.objectContaining({ pointer: '?ofset' }));
      }
    },
  );

  it('the token that every path takes is known', async () => {
    for (const url of ['/api/v1/jobs/?token=x', '/healthz?token=x', '/api/v1/modules/?token=x']) {
      // An API key in the header counts more.
      expect((await gateway.ask('GET', url)).status).toBe(200);
    }
  });
});
