import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AditClient } from '@adit/client';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { mineLive } from './mine-live.js';

/** An engine with one live job, as far as the command speaks to it. */
let engine: Server;
let client: AditClient;
let state: string;
/** The job that goes on with the stream: it has ended. */
let nextPart: string | null;
let results: object[];
let printed: { out: string; err: string };

beforeEach(async () => {
  [state, nextPart, results, printed] = ['processing', null, [], { out: '', err: '' }];
  engine = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine');
    if (pathname.endsWith('/stop/')) state = 'stopped';
    const data = pathname.endsWith('/detailed-results/') ? results.slice(Number(searchParams.get('offset'))) : [];
    const isList = /-results\/|artifacts\/$/.test(pathname);
    const one = pathname.endsWith('/recording/')
      ? { playlist: 'http://engine/index.m3u8?ticket=1' }
      : pathname.endsWith('/b/')
        ? { id: 'b', state: 'stopped', modules: {}, next_part: null }
        : { id: 'a', state, modules: {}, next_part: nextPart };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isList ? { data, total: data.length, next: null } : one));
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  const { port } = engine.address() as AddressInfo;
  client = new AditClient({ url: `http://127.0.0.1:${port}`, apiKey: 'a key of the specs' });
  for (const [stream, to] of [
    [process.stdout, 'out'],
    [process.stderr, 'err'],
  ] as const) {
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      printed[to] += String(text);
      return true;
    });
  }
});

afterEach(async () => {
  jest.restoreAllMocks();
  engine.closeAllConnections();
  await new Promise((resolve) => engine.close(resolve));
});

const ada = {
  ...{ media_type: 'videostream', module: 'face_recognition', meta: { person: 'Ada', similarity: 0.9 } },
  ...{ frame_start: 0, frame_end: 1, time_start: 0, time_end: 1, tc_start: '00:00:00:00', tc_end: '00:00:01:00' },
  ...{ source: 's', source_name: 's', detections: [], thumbnail: null, time_of_day: '2026-11-30T08:00:00.000000Z' },
};

const follow = (goesOn: boolean, abort: AbortController, record = false) =>
  mineLive(client, { sources: ['rtsp://camera/live'], modules: { face_recognition: {} }, record }, '/tmp/nowhere', {
    ...{ quiet: false, signal: abort.signal, goesOn },
  });

it('results are printed once, as they come, until the stream ends', async () => {
  const following = follow(true, new AbortController());
  results.push(ada);
  while (!printed.out.includes('Ada')) await new Promise((resolve) => setTimeout(resolve, 20));
  results.push({ ...ada, meta: { person: 'Grace', similarity: 0.8 } });
  state = 'completed';
  expect((await following).job.state).toBe('completed');
  expect(printed.out).toBe(
    '2026-11-30T08:00:00.000000Z  face  Ada  90 %\n2026-11-30T08:00:00.000000Z  face  Grace  80 %\n',
  );
});

it('the next part of a stream is followed', async () => {
  [state, nextPart] = ['completed', 'b'];
  results.push(ada);
  expect((await follow(true, new AbortController())).job).toMatchObject({ id: 'b', state: 'stopped' });
  expect(printed.out.match(/Ada/g)).toHaveLength(2);
  expect(printed.err).toContain('Job b goes on with the stream.');
});

it('an interruption leaves the job to an engine that goes on, and says how to stop it', async () => {
  const abort = new AbortController();
  const following = follow(true, abort);
  abort.abort();
  expect(await following).toMatchObject({ job: { state: 'processing' }, files: {} });
  expect(printed.err).toContain('adit jobs stop a');
  expect(state).toBe('processing');
});

it('an interruption stops the job of an engine that ends with the command', async () => {
  const abort = new AbortController();
  const following = follow(false, abort);
  abort.abort();
  expect((await following).job.state).toBe('stopped');
});

it('the address of a recording is printed, where one was asked for', async () => {
  state = 'completed';
  await follow(true, new AbortController());
  expect(printed.err).not.toContain('Recording');
  await follow(true, new AbortController(), true);
  expect(printed.err).toContain('Recording, in a few seconds: http://engine/index.m3u8?ticket=1\n');
});
