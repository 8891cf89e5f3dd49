import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TranscriptApi } from './transcript-api.js';

/** The service's refusal of a version. */
const problem = (status: number, errors: { code: string; detail: string; attr: null }[]) => ({
  ...{ type: 'about:blank', title: 'Conflict', status, detail: errors[0]?.detail ?? 'Read it again.' },
  ...{ code: 'CONFLICT', errors },
});

describe('a version that the service refuses', () => {
  let service: Server;
  let answer: { status: number; errors: { code: string; detail: string; attr: null }[] };
  let api: TranscriptApi;
  const write = () => api.write('variant', 3, { changes: [] });

  beforeAll(async () => {
    service = createServer((_, reply) => {
      reply.writeHead(answer.status, { 'content-type': 'application/problem+json' });
      reply.end(JSON.stringify(problem(answer.status, answer.errors)));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo;
    Object.assign(globalThis, { location: { origin: `http://127.0.0.1:${port}` } });
    api = new TranscriptApi('transcript', 'token');
  });
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  it.each([
    ['is at another version', 412, []],
    ['has a paragraph that was changed since', 409, [{ code: 'changed_since', detail: 'Changed.', attr: null }]],
    ['has a paragraph that was removed since', 409, [{ code: 'removed_since', detail: 'Removed.', attr: null }]],
  ])('is read again where it %s', async (_, status, errors) => {
    answer = { status, errors };
    expect(await write()).toBeNull();
  });

  it('is told where there is no room for another: reading it again would not help', async () => {
    const detail = 'A variant of a transcript holds at most 300 bytes in all its versions; delete older versions.';
    answer = { status: 409, errors: [{ code: 'too_many', detail, attr: null }] };
    await expect(write()).rejects.toThrow(detail);
  });
});
