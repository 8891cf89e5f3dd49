/** @needs weights, build */
import { connect } from 'node:net';
import { Problem } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dirname } from 'node:path';
import { startGateway, type TestGateway } from '../testing/gateway.js';

const photo = sampleMedia().groups['sample1'] as string;
const job = { sources: [photo], modules: { face_recognition: {} } };
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ localRoots: [dirname(photo)], maxBodyBytes: 64 << 10 });
});
afterAll(() => gateway?.close());

interface Row {
  what: string;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  url?: string;
  payload?: string | object;
  headers?: Record<string, string>;
  status: number;
  code: string;
  pointer?: string;
}

const deep = '['.repeat(20_000);
const json = { 'content-type': 'application/json' };
const posted = (what: string, payload: object, pointer: string, code = 'VALIDATION', status = 400): Row => ({
  what,
  payload,
  pointer,
  code,
  status,
});

const rows: Row[] = [
  { what: 'malformed JSON', payload: '{"sources": [', headers: json, status: 400, code: 'VALIDATION' },
  {
    what: 'a key that would be lost',
    payload: `{"sources": ["${photo}"], "modules": {"face_recognition": {}}, "unknown": [{"prototype": []}]}`,
    headers: json,
    status: 400,
    code: 'VALIDATION',
  },
  { what: 'deep nesting', payload: deep, headers: json, status: 400, code: 'VALIDATION' },
  {
    what: 'deep nesting that is JSON',
    payload: `{"sources": ["${photo}"], "modules": {"face_recognition": {"a": ${deep}${']'.repeat(20_000)}}}}`,
    headers: { ...json, 'idempotency-key': 'deep' },
    status: 400,
    code: 'VALIDATION',
  },
  { what: 'an empty body', payload: '', headers: json, status: 400, code: 'VALIDATION' },
  { what: 'no body', status: 400, code: 'VALIDATION' },
  { what: 'a JSON array', payload: [], status: 400, code: 'VALIDATION' },
  { what: 'a JSON null', payload: 'null', headers: json, status: 400, code: 'VALIDATION' },
  { what: 'poisoned prototype', payload: '{"__proto__": {"x": 1}}', headers: json, status: 400, code: 'VALIDATION' },
  {
    what: 'XML',
    payload: '<a/>',
    headers: { 'content-type': 'text/xml' },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  { what: 'a huge body', payload: { ...job, tag: 'x'.repeat(70_000) }, status: 413, code: 'TOO_LARGE' },
  {
    what: 'a form',
    payload: 'sources=a&modules=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    what: 'plain text',
    payload: JSON.stringify(job),
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    what: 'an encoded body',
    payload: job,
    headers: { 'content-encoding': 'gzip' },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    what: 'thousands of keys',
    payload: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 1])),
    status: 400,
    code: 'VALIDATION',
  },
  posted(
    /** @hardening overload: A request has megabytes of names and keys */
    'hundreds of modules',
    { ...job, modules: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`m${at}`, {}])) },
    '/modules',
  ),
  posted(
    'a module with a long name',
    { ...job, modules: { ['x'.repeat(40_000)]: {} } },
    `/modules/${'x'.repeat(990)}…`,
  ),
  posted(
    'hundreds of unknown arguments',
    {
      ...job,
      modules: { face_recognition: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`a${at}`, 1])) },
    },
    '/modules/face_recognition/a0',
  ),
  posted('an unknown field', { ...job, hurry: true }, '/hurry'),
  posted('no sources', { ...job, sources: [] }, '/sources'),
  posted('a source that is no text', { ...job, sources: [7] }, '/sources/0'),
  posted('no modules', { ...job, modules: {} }, '/modules'),
  posted('modules as a list', { ...job, modules: ['face_recognition'] }, '/modules'),
  posted('an unknown module', { ...job, modules: { faces: {} } }, '/modules/faces'),
  posted('an unknown argument', { ...job, modules: { face_recognition: { a: 1 } } }, '/modules/face_recognition/a'),
  posted(
    'an argument out of range',
    { ...job, modules: { face_recognition: { max_distance: 3 } } },
    '/modules/face_recognition/max_distance',
  ),
  posted(
    'a model that is not installed',
    { ...job, modules: { face_recognition: { model: 'nobody' } } },
    '/modules/face_recognition/model',
    'MODEL_NOT_INSTALLED',
  ),
  posted(
    'seconds and frames',
    { ...job, modules: { face_recognition: { range: { time_start: 1, frame_end: 3 } } } },
    '/modules/face_recognition/range/frame_end',
  ),
  posted('a long tag', { ...job, tag: 'x'.repeat(300) }, '/tag'),
  posted('a tag with a NUL', { ...job, tag: 'a\0b' }, '/tag'),
  posted('a tag with half a pair', { ...job, tag: '\ud800' }, '/tag'),
  posted('a negative ttl', { ...job, ttl: -1 }, '/ttl'),
  posted('a priority of 10', { ...job, priority: 10 }, '/priority'),
  posted(
    'a webhook to a script',
    { ...job, webhook: { events: ['job.on_completed'], callback: 'javascript:1' } },
    '/webhook/callback',
  ),
  posted('a path outside the roots', { ...job, sources: [photo, '/etc/passwd'] }, '/sources/1', 'SOURCE_REFUSED'),
  posted('a path that climbs out', { ...job, sources: [`${dirname(photo)}/../../x`] }, '/sources/0', 'SOURCE_REFUSED'),
  posted('a private address', { ...job, sources: ['https://169.254.169.254/x'] }, '/sources/0', 'SOURCE_REFUSED'),
  posted('a private address in octal', { ...job, sources: ['https://0177.0.0.1/x'] }, '/sources/0', 'SOURCE_REFUSED'),
  posted(
    'a mapped private address',
    { ...job, sources: ['https://[::ffff:10.0.0.1]/x'] },
    '/sources/0',
    'SOURCE_REFUSED',
  ),
  posted('plain http', { ...job, sources: ['http://example.com/a.mp4'] }, '/sources/0', 'SOURCE_REFUSED'),
  posted('a script scheme', { ...job, sources: ['concat:/etc/passwd'] }, '/sources/0', 'SOURCE_REFUSED'),
  posted(
    'a missing storage key',
    { ...job, sources: ['storage://aaaaaaaaaaaaaaaaaaaa'] },
    '/sources/0',
    'SOURCE_REFUSED',
  ),
  posted('a storage key that climbs', { ...job, sources: ['storage://../../x'] }, '/sources/0'),
  { what: 'no key', headers: { authorization: '' }, status: 401, code: 'UNAUTHENTICATED' },
  { what: 'a bearer token', headers: { authorization: 'Bearer abc' }, status: 401, code: 'UNAUTHENTICATED' },
  { what: 'a wrong key', headers: { authorization: 'Key adit_wrong' }, status: 401, code: 'UNAUTHENTICATED' },
  { what: 'two keys', headers: { authorization: 'Key a Key b' }, status: 401, code: 'UNAUTHENTICATED' },
  { what: 'a huge key', headers: { authorization: `Key ${'a'.repeat(9_000)}` }, status: 401, code: 'UNAUTHENTICATED' },
  {
    what: 'an encoded path without key',
    method: 'GET',
    url: '/%61pi/v1/jobs/',
    headers: { authorization: '' },
    status: 401,
    code: 'UNAUTHENTICATED',
  },
  { what: 'PUT', method: 'PUT', payload: {}, status: 405, code: 'METHOD_NOT_ALLOWED' },
  {
    what: 'PATCH of a job',
    method: 'PATCH',
    url: '/api/v1/jobs/x',
    payload: {},
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
  },
  { what: 'GET of stop', method: 'GET', url: '/api/v1/jobs/x/stop/', status: 405, code: 'METHOD_NOT_ALLOWED' },
  { what: 'an unknown path', method: 'GET', url: '/api/v1/job/', status: 404, code: 'NOT_FOUND' },
  { what: 'an id that is none', method: 'GET', url: "/api/v1/jobs/'%20OR%201=1/", status: 404, code: 'NOT_FOUND' },
  {
    /** @hardening overload: A form comes where JSON is taken, or an id is very long */
    what: 'an id of 3,000 characters',
    method: 'GET',
    url: `/api/v1/jobs/${'x'.repeat(3_000)}`,
    status: 404,
    code: 'NOT_FOUND',
  },
  {
    what: 'an unknown id',
    method: 'GET',
    url: '/api/v1/jobs/0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11/',
    status: 404,
    code: 'NOT_FOUND',
  },
  { what: 'a bad escape', method: 'GET', url: '/api/v1/jobs/%zz', status: 400, code: 'VALIDATION' },
  { what: 'a NUL in the search', method: 'GET', url: '/api/v1/jobs/?search=%00', status: 400, code: 'VALIDATION' },
  {
    what: 'a negative offset',
    method: 'GET',
    url: '/api/v1/jobs/?offset=-1',
    status: 400,
    code: 'VALIDATION',
    pointer: '?offset',
  },
  {
    what: 'a limit of 0',
    method: 'GET',
    url: '/api/v1/jobs/?limit=0',
    status: 400,
    code: 'VALIDATION',
    pointer: '?limit',
  },
  {
    what: 'a limit that is text',
    method: 'GET',
    url: '/api/v1/jobs/?limit=ten',
    status: 400,
    code: 'VALIDATION',
    pointer: '?limit',
  },
  {
    what: 'an endless offset',
    method: 'GET',
    url: '/api/v1/jobs/?offset=1e30',
    status: 400,
    code: 'VALIDATION',
    pointer: '?offset',
  },
  {
    what: 'a state that is none',
    method: 'GET',
    url: '/api/v1/jobs/?state=happy',
    status: 400,
    code: 'VALIDATION',
    pointer: '?state',
  },
  {
    what: 'two limits',
    method: 'GET',
    url: '/api/v1/jobs/?limit=1&limit=2',
    status: 400,
    code: 'VALIDATION',
    pointer: '?limit',
  },
  {
    what: 'a wait that is no number',
    method: 'GET',
    url: '/api/v1/jobs/0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11/',
    headers: { prefer: 'wait=soon' },
    status: 400,
    code: 'VALIDATION',
  },
  { what: 'a huge storage id', method: 'GET', url: '/api/v1/storage/99999999999/', status: 404, code: 'NOT_FOUND' },
  {
    what: 'JSON as an upload',
    url: '/api/v1/storage/?folder=/',
    payload: {},
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    what: 'an idempotency key too long',
    payload: job,
    headers: { 'idempotency-key': 'x'.repeat(256) },
    status: 400,
    code: 'VALIDATION',
  },
];

describe('hostile requests', () => {
  it.each(rows)(
    '$what → $status',
    async ({ method = 'POST', url = '/api/v1/jobs/', payload, headers = {}, status, code, pointer }) => {
      const answer = await gateway.ask(method, url, payload, headers);
      expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      const problem = Problem.parse(answer.json());
      expect(problem).toMatchObject({ status, code, request_id: answer.headers['x-request-id'] });
      if (pointer !== undefined) expect(problem.errors.map((error) => error.pointer)).toContain(pointer);
      expect(answer.text).not.toMatch(/\\n\s+at |\.[jt]s:\d/);
      expect(problem.errors.length).toBeLessThanOrEqual(50);
      expect(answer.text.length).toBeLessThan(20_000);
    },
  );

  it('names what is installed', async () => {
    const unknown = await gateway.ask('POST', '/api/v1/jobs/', { ...job, modules: { faces: {} } });
    expect(unknown.json()['message']).toMatch(/face_recognition/);
    const model = await gateway.ask('POST', '/api/v1/jobs/', { ...job, modules: { face_recognition: { model: 'x' } } });
    expect(model.json()['message']).toMatch(/Installed face galleries/);
  });

  it('keeps a sane request id and replaces one that could forge lines', async () => {
    const kept = await gateway.ask('GET', '/api/v1/jobs/', undefined, { 'x-request-id': 'abc-1' });
    expect(kept.headers['x-request-id']).toBe('abc-1');
    for (const id of ['a b', 'x'.repeat(200), 'a"b', '<script>']) {
      const answer = await gateway.ask('GET', '/api/v1/jobs/', undefined, { 'x-request-id': id });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('believes forwarded headers of trusted proxies only, and no forged host', async () => {
    await gateway.ask('POST', '/api/v1/jobs/', job);
    await gateway.ask('POST', '/api/v1/jobs/', job);
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', host: 'adit.local:8080' };
    const page = await gateway.ask('GET', '/api/v1/jobs/?limit=1&tag=', undefined, forged);
    expect(page.json()['next']).toBe('http://adit.local:8080/api/v1/jobs/?limit=1&tag=&offset=1');
    for (const host of ['evil.example/x?', 'adit.local:99999', '1.2.3.4.5', '[::g]']) {
      const odd = await gateway.ask('GET', '/api/v1/jobs/?limit=1', undefined, { host });
      expect([host, odd.json()['next']]).toEqual([host, expect.stringMatching(/^http:\/\/localhost\//)]);
    }
    expect((await gateway.ask('GET', '/api/v1/jobs/?limit=99999')).json()['limit']).toBe(1000);
  });

  it('answers what is not HTTP, and headers without end, on the bare socket', async () => {
    await gateway.app.listen(0, '127.0.0.1');
    const port = Number(new URL(await gateway.app.getUrl()).port);
    for (const text of ['GARBAGE\r\n\r\n', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`]) {
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        let all = '';
        socket.on('data', (data) => (all += String(data)));
        socket.on('close', () => resolve(all));
        socket.on('error', reject);
      });
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(Problem.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''))).toMatchObject({ code: 'VALIDATION' });
    }
  });
});
