import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AditClient } from './adit-client.js';

/** Fields of the request; a file by its bytes. */
interface Asked {
  path: string;
  fields: Record<string, string>;
}

// Answers of a real service are tested in apps/standalone/e2e/inference-requests.ts.
describe('faces of single pictures, as the client asks for them', () => {
  let server: Server;
  let adit: AditClient;
  let asked: Asked[];
  let refusals: { status: number; headers?: Record<string, string> }[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const headers = { 'content-type': request.headers['content-type'] ?? '' };
        void new Response(Buffer.concat(parts), { headers }).formData().then(async (form) => {
          const fields: Record<string, string> = {};
          for (const [name, value] of form) fields[name] = typeof value === 'string' ? value : await value.text();
          asked.push({ path: request.url ?? '', fields });
          const refusal = refusals.shift();
          response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json', ...refusal?.headers });
          response.end(JSON.stringify({ faces: [] }));
        });
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    adit = new AditClient({ url: `http://127.0.0.1:${port}`, apiKey: 'key' });
  });
  afterAll(() => new Promise((done) => server.close(done)));
  beforeEach(() => {
    asked = [];
    refusals = [];
  });

  const picture = new Blob(['a picture']);

  it('requests have pictures or their addresses, and only the given options', async () => {
    await adit.faces.detect(picture, { faceDetectionScale: 900 });
    await adit.faces.detect('storage://group');
    await adit.faces.compare(picture, 'https://example.org/b.jpg', { maxDistance: 0.9 });
    await adit.faces.search(picture, { model: 'team', topK: 5 });
    await adit.faces.search('storage://group', { collection: 'default_index' });
    expect(asked).toEqual([
      { path: '/api/v1/faces/detect/', fields: { file: 'a picture', face_detection_scale: '900' } },
      { path: '/api/v1/faces/detect/', fields: { file_uri: 'storage://group' } },
      {
        path: '/api/v1/faces/compare/',
        fields: { a: 'a picture', b: 'https://example.org/b.jpg', max_distance: '0.9' },
      },
      { path: '/api/v1/faces/search/', fields: { file: 'a picture', top_k: '5', model: 'team' } },
      { path: '/api/v1/faces/search/', fields: { file_uri: 'storage://group', collection: 'default_index' } },
    ]);
  });

  it('requests that were deferred are repeated with the whole picture, and no more often than allowed', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0' } };
    refusals = [busy, busy];
    expect(await adit.faces.detect(picture)).toEqual({ faces: [] });
    expect(asked.map(({ fields }) => fields)).toEqual(Array(3).fill({ file: 'a picture' }));
    refusals = [busy, busy, busy];
    await expect(adit.faces.detect(picture)).rejects.toMatchObject({ status: 503 });
    refusals = [{ status: 400 }];
    await expect(adit.faces.detect(picture)).rejects.toMatchObject({ status: 400 });
    expect(asked).toHaveLength(7);
  });

  it('requests are not waited for by a caller who has given up', async () => {
    const given = new AbortController();
    given.abort(new Error('enough'));
    await expect(adit.faces.detect(picture, { signal: given.signal })).rejects.toThrow('enough');
    expect(asked).toEqual([]);
  });
});
