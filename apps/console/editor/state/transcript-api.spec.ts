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

describe('a browser that is signed in to the console', () => {
  let service: Server;
  let isSignedIn: boolean;
  const asked: [path: string, workspace: string | undefined, csrf: string | undefined][] = [];
  const answers: Record<string, () => object> = {
    '/console/session': () => ({ provider: null, signed_in: isSignedIn }),
    '/api/v1/me/': () => ({ workspace: { id: 'newsroom', name: 'Newsroom' } }),
  };
  beforeAll(async () => {
    service = createServer(({ url = '', headers }, reply) => {
      const [workspace, csrf] = [headers['x-adit-workspace'], headers['x-adit-csrf']];
      asked.push([url, workspace?.toString(), csrf?.toString()]);
      reply.setHeader('content-type', 'application/json');
      reply.end(JSON.stringify(answers[url]?.() ?? {}));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    Object.assign(globalThis, { location: { origin: `http://127.0.0.1:${(service.address() as AddressInfo).port}` } });
  });
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  it('names in each request the workspace that it shows, which is that of when it was opened', async () => {
    isSignedIn = true;
    const api = new TranscriptApi('t', '');
    expect(await api.enter()).toBe(true);
    asked.length = 0;
    await api.transcript();
    await api.write('v', 1, { changes: [] });
    expect(asked).toEqual([
      ['/api/v1/transcripts/t/', 'newsroom', '1'],
      ['/api/v1/transcripts/t/variants/v/versions/', 'newsroom', '1'],
    ]);
  });

  it('asks nothing where nobody is signed in', async () => {
    isSignedIn = false;
    asked.length = 0;
    expect(await new TranscriptApi('t', '').enter()).toBe(false);
    expect(asked.map(([path]) => path)).toEqual(['/console/session']);
  });
});
