/** @needs ffmpeg, weights, build, time */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem, ERROR_CODES } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { EngineUnderTest } from './engine-under-test.js';
import { FORBIDDEN, HostileOrigin } from './hostile-origin.js';
import { Place, type Expected, type Row } from './hostile-place.js';
import { playAll, type Outcome } from './hostile-run.js';
import { mediaRows, requestRows, sourceRows } from './hostile-table.js';
import { unfinishedUpload } from './hostile-upload.js';

const NEIGHBOUR_KEY = 'a-key-of-another-workspace';
/** Bytes; the idle engine uses about half of it. */
const MAX_MEMORY = 2 * 2 ** 30;
/** Faces of the photo that is mined among the rows, counted by eye. */
const CANARY_FACES = 3;

let folder: string;
let origin: HostileOrigin;
let engine: EngineUnderTest;
let place: Place;
let upload: { uri: string; abort(): void };
let outcomes: Map<Row, Outcome | Error>;
let process0: { pid: string; started: number };
const canaries: (number | string)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-hostile-'));
  await Promise.all(['scratch', 'trust'].map((name) => mkdir(join(folder, name))));
  origin = await HostileOrigin.start(await readFile(sampleMedia().groups['sample1']!));
  await writeFile(join(folder, 'trust/origin.pem'), origin.cert);
  place = await Place.make(folder, origin, NEIGHBOUR_KEY);
  engine = await EngineUnderTest.start({
    localRoots: [place.root],
    program: './hostile-engine.ts',
    env: {
      TMPDIR: join(folder, 'scratch'),
      NODE_EXTRA_CA_CERTS: join(folder, 'trust/origin.pem'),
      ADIT_NEIGHBOUR_KEY: NEIGHBOUR_KEY,
      ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32',
      ADIT_FETCH_IDLE_SECONDS: '2',
      ADIT_FETCH_TIMEOUT_SECONDS: '5',
      ADIT_STREAM_CONNECT_SECONDS: '5',
      ADIT_MAX_SOURCE_BYTES: String(32 << 20),
      ADIT_MAX_ATTEMPTS: '2',
      // Nothing that was fetched is kept, so that what is left behind is a leak.
      ADIT_SOURCE_CACHE_BYTES: '1',
    },
  });
  process0 = await processNow();
  place.jobId = (await engine.api.mine({ sources: [place.at('neighbour.jpg')] })).id;
  await engine.api.post({ sources: [place.at('neighbour.jpg')] }, { 'idempotency-key': 'used' });
  upload = await unfinishedUpload(engine);
  place.unfinished = upload.uri;
  outcomes = await playAll([...mediaRows, ...sourceRows, ...requestRows], engine, place, canary);
});
afterAll(async () => {
  upload?.abort();
  await engine?.close();
  await origin?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Mines the photo of a neighbour who has nothing to do with the rows; its bytes are new, so nothing of it is known. */
async function canary(): Promise<void> {
  const number = canaries.push('began') - 1;
  const photo = Buffer.concat([await place.people(), Buffer.from(`canary ${number}`)]);
  try {
    const job = await engine.api.mine({ sources: [await place.put(`canary-${number}.jpg`, photo)] });
    canaries[number] = (await engine.api.segments(job.id)).length;
  } catch (error) {
    canaries[number] = String(error);
  }
}

async function processNow(): Promise<{ pid: string; started: number }> {
  const pid = await readFile(join(engine.folder, 'engine.pid'), 'utf8');
  return { pid, started: await engine.api.metric('process_start_time_seconds') };
}

/** The answer's column of the table, as it stands in a test's name. */
function column(expected: Expected): string {
  if ('status' in expected) return `${expected.status} ${expected.code}`;
  if ('failed' in expected) return `failed ${expected.failed}`;
  return 'completed' in expected ? `completed ${JSON.stringify(expected.completed)}` : 'a good reply';
}

const named = (rows: Row[]): [string, string, Row][] => rows.map((row) => [row.name, column(row.expected), row]);

describe.each([
  ['media', mediaRows],
  ['sources', sourceRows],
  ['requests', requestRows],
])('%s', (_, rows) => {
  it.each(named(rows))('%s → %s', (name, column, row) => {
    const outcome = outcomes.get(row);
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('It was not played.');
    const { expected } = row;
    if ('status' in expected) expectProblem(outcome, expected);
    else if ('failed' in expected) expectFailed(outcome, expected);
    else if ('completed' in expected) expectCompleted(outcome, expected.completed);
    else {
      expect(outcome.status).toBe(200);
      expect(JSON.parse(outcome.text)).toMatchObject(expected.reply);
    }
  });
});

function expectProblem(outcome: Outcome, expected: Extract<Expected, { status: number }>): void {
  expect([outcome.status, outcome.text]).toEqual([expected.status, expect.stringContaining(expected.code)]);
  expect(outcome.contentType).toMatch(/^application\/problem\+json/);
  const problem = Problem.parse(JSON.parse(outcome.text));
  expect(problem).toMatchObject({ status: expected.status, code: expected.code, message: problem.detail });
  expect(ERROR_CODES[expected.code].status).toBe(expected.status);
  expect(problem.detail).toMatch(expected.says ?? /./);
  for (const { pointer } of problem.errors) expect(pointer).toMatch(/^[/?]|^\w*$/);
  expectDiscreet(outcome.text);
}

type Failed = Extract<Expected, { failed: RegExp }>;

function expectFailed({ status, text, job, segments }: Outcome, { failed: reason, keeps }: Failed): void {
  expect([status, text]).toEqual([200, expect.any(String)]);
  expect(job).toMatchObject({ state: 'failed' });
  expect(job!.errors.join('\n')).toMatch(reason);
  expectDiscreet(job!.errors.join('\n'));
  const good = keeps === undefined ? [] : job!.sources.slice(0, -1);
  expect(segments.filter(({ source }) => !good.includes(source))).toEqual([]);
  if (segments.length === 0) expect(job!.result.summary.flatMap(({ items }) => items)).toEqual([]);
}

type Good = Extract<Expected, { completed: object }>['completed'];

function expectCompleted({ text, job, segments }: Outcome, { type, faces, frames, size, errors = [] }: Good): void {
  expect([job?.state, job?.errors ?? text]).toEqual(['completed', errors.map((one) => expect.stringMatching(one))]);
  expectDiscreet(job!.errors.join('\n'));
  expect(job).toMatchObject({ media_type: type, progress: 1 });
  const info = job!.result.summary[0]?.info;
  if (frames !== undefined) expect(info).toMatchObject({ total_frames: frames });
  if (size !== undefined) expect(info).toMatchObject({ resolution: size });
  if (faces === 'some') expect(segments.length).toBeGreaterThan(0);
  else if (faces !== undefined) expect(segments).toHaveLength(faces);
}

/** Nothing of the server's own comes out: stacks, places of its code, its folders. */
function expectDiscreet(text: string): void {
  expect(text).not.toMatch(/\bat \S+ \(|node_modules|\.[cm]?[jt]s:\d+|file:\/\/\/\S*\.[jt]s/);
  expect(text).not.toContain(engine.folder);
  expect(text).not.toContain(join(folder, 'scratch'));
}

describe('the engine, after all that,', () => {
  it('is the process it was and is well', async () => {
    expect(await processNow()).toEqual(process0);
    expect(await engine.api.metric('process_resident_memory_bytes')).toBeLessThan(MAX_MEMORY);
    expect((await fetch(`${engine.api.url}/readyz`)).status).toBe(200);
  });

  it('mined its other photos as ever', async () => {
    await canary();
    expect(canaries.length).toBeGreaterThan(10);
    expect(canaries).toEqual(canaries.map(() => CANARY_FACES));
  });

  it('opened nothing that a file or a server pointed at', async () => {
    expect(origin.asked).toContain('127.0.0.1 /playlist');
    expect(origin.asked.filter((one) => one.startsWith(FORBIDDEN) || one.includes('/canary'))).toEqual([]);
    // Readings leave a trace here: that of the file which jobs may name shows it.
    const read = [place.at('neighbour.jpg'), ...place.secrets].map(async (path) => (await stat(path)).atimeMs);
    const [mined, ...secrets] = await Promise.all(read);
    expect(mined).toBeGreaterThan(0);
    expect(secrets).toEqual([0, 0]);
  });

  it('left nothing behind', async () => {
    const work = await readdir(join(engine.dataDir, 'work'), { recursive: true });
    // The folder of the process that runs, with nothing in it but its launcher's socket.
    expect(work.filter((path) => !/^standalone-[^/]+(\/launcher-[^/]+(\/socket)?)?$/.test(path))).toEqual([]);
    const scratch = await readdir(join(folder, 'scratch'));
    expect(scratch).toEqual([]);
    const packs = await readdir(join(engine.dataDir, 'objects'), { recursive: true });
    expect(packs.filter((path) => /\/packs\/.*\//.test(path))).toEqual([]);
    // The one that starts children, which has none.
    const children = await childrenOf(process0.pid);
    expect(children).toEqual([expect.stringContaining('launcher-process')]);
    expect(await childrenOf(children[0]!.split(' ')[0]!)).toEqual([]);
  });
});

/** Number and command line of each. `ps` fails where there is none. */
async function childrenOf(pid: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['--ppid', pid, '-o', 'pid=,args=']).catch(() => ({ stdout: '' }));
  return stdout
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
