/** @needs ffmpeg, weights, build, time */
import { setTimeout as sleep } from 'node:timers/promises';
import { Recording, StreamGapPage, type DetailedResult, type Job } from '@adit/contracts';
import { describeLive, liveServer, type LiveServer } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { EngineUnderTest } from './engine-under-test.js';
import { manTwice } from './films.js';

/** Seconds of a part, the fewest that are allowed. */
const PART = 10;
const FPS = 25;

await describeLive('the parts of a live stream', (program) => {
  let server: LiveServer;
  let engine: EngineUnderTest;
  beforeAll(async () => {
    server = await liveServer(program);
    engine = await EngineUnderTest.start({
      localRoots: [],
      env: {
        ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32',
        // Nothing is left out, however busy the machine is.
        ADIT_STREAM_LAG_SECONDS: '600',
      },
    });
  });
  afterAll(async () => {
    await engine?.close();
    await server?.remove();
  });

  /** Waits until something is so of a job. */
  const until = async (id: string, isSo: (job: Job) => boolean): Promise<Job> => {
    for (const end = Date.now() + 120_000; ; await sleep(200)) {
      const job = await engine.api.job(id);
      if (isSo(job)) return job;
      if (Date.now() > end) throw new Error(`It did not come: ${JSON.stringify(job)}`);
    }
  };
  const next = async ({ id }: Job): Promise<Job> => {
    const { next_part: part } = await until(id, (job) => job.next_part != null);
    return engine.api.job(part!);
  };
  /** Stops a stream, of which a job is the latest known part; returns that and those after it, as they ended. */
  const stopped = async (from: Job): Promise<Job[]> => {
    const { status } = await engine.api.request('POST', `/jobs/${from.id}/stop/`);
    const ended = await engine.api.ended(from.id);
    // Its next part was faster.
    return status === 409 ? [ended, ...(await stopped(await next(from)))] : [ended];
  };
  const gapsOf = async ({ id }: Job) => (await engine.api.call(StreamGapPage, 'GET', `/jobs/${id}/gaps/`)).data;
  /** Gaps of a job and of the parts after it, once there is one. */
  const gapsFrom = async (from: Job) => {
    for (const end = Date.now() + 120_000; ; await sleep(200)) {
      const found = [];
      for (let id: string | null | undefined = from.id; id != null;) {
        const job = await engine.api.job(id);
        found.push(...(await gapsOf(job)));
        id = job.next_part;
      }
      if (found.length > 0) return found;
      if (Date.now() > end) throw new Error('No gap came.');
    }
  };
  /** Milliseconds since 1970 of a part's time 0, by one of its segments. */
  const zeroOf = ({ time_of_day: time, time_start: start }: DetailedResult): number => Date.parse(time!) - start * 1000;
  /** Wall clock of a recording's segments in seconds: start and end. */
  const recordedOf = async ({ id }: Job): Promise<[number, number][]> => {
    const { playlist } = await engine.api.call(Recording, 'GET', `/jobs/${id}/recording/`);
    const text = await (await fetch(playlist)).text();
    const found = [...text.matchAll(/PROGRAM-DATE-TIME:(\S+)\n#EXTINF:([\d.]+)/g)];
    return found.map(([, time, seconds]) => [Date.parse(time!) / 1000, Date.parse(time!) / 1000 + Number(seconds)]);
  };

  it('follow each other without a gap, each a job of its own with its segments and its recording', async () => {
    await server.publish('open/parts', await manTwice());
    const source = `rtsp://127.0.0.1:${server.ports.rtsp}/open/parts`;
    const order = { sources: [source], rotate_seconds: PART, record: true, tag: 'door' };
    const first = await engine.api.post(order);
    expect(first).toMatchObject({ rotate_seconds: PART, previous_part: null, next_part: null });
    const second = await next(first);
    const third = await next(second);
    expect(third).toMatchObject({ tag: 'door', rotate_seconds: PART, previous_part: second.id, sources: [source] });
    await until(third.id, ({ duration }) => duration > 3);
    const refused = await engine.api.request('POST', `/jobs/${first.id}/stop/`);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining(third.id)]);
    await engine.api.request('POST', `/jobs/${third.id}/stop/`);

    const ended: Job[] = [];
    for (const { id } of [first, second, third]) ended.push(await engine.api.ended(id));
    expect(ended.map(({ state, errors }) => [state, errors])).toEqual([
      ['completed', []],
      ['completed', []],
      ['stopped', []],
    ]);
    expect(ended.map(({ previous_part, next_part }) => [previous_part, next_part])).toEqual([
      [null, second.id],
      [first.id, third.id],
      [second.id, null],
    ]);
    for (const part of ended) expect(await gapsOf(part)).toEqual([]);
    // No picture was lost at the borders, and none counted twice.
    for (const { result } of ended.slice(0, 2)) {
      const { info } = result.summary[0]!;
      expect(Math.abs(info.total_frames! - PART * FPS)).toBeLessThanOrEqual(2);
      expect(info.duration).toBeCloseTo(PART, 0);
    }
    const found = await Promise.all(ended.map(({ id }) => engine.api.segments(id)));
    for (const segments of found.slice(0, 2)) {
      expect(segments.length).toBeGreaterThan(0);
      for (const { time_start: start, time_end: end, frame_end: frame } of segments) {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(PART + 1);
        expect(Number(frame)).toBeLessThanOrEqual(Math.round(end * FPS) + 2);
      }
    }
    // Times of day go on over the border, to the millisecond.
    const [one, two] = [found[0]![0]!, found[1]![0]!].map(zeroOf);
    expect(Math.abs(two! - one! - PART * 1000)).toBeLessThanOrEqual(1);

    const recorded = (await Promise.all(ended.map(recordedOf))).flat();
    for (const [i, [from]] of recorded.entries()) if (i > 0) expect(from).toBeCloseTo(recorded[i - 1]![1], 1);
    expect(recorded.at(-1)![1] - recorded[0]![0]).toBeGreaterThan(2 * PART);

    // The oldest may be deleted, as retention does.
    await engine.api.request('DELETE', `/jobs/${first.id}/`);
    expect(await engine.api.job(second.id)).toMatchObject({ previous_part: null, next_part: third.id });
  });

  it('go on where an engine was that died', async () => {
    await server.publish('open/again', await manTwice());
    const source = `rtsp://127.0.0.1:${server.ports.rtsp}/open/again`;
    const first = await engine.api.post({ sources: [source], rotate_seconds: PART });
    await until(first.id, ({ duration }) => duration > PART - 3);
    await engine.kill();
    await sleep(3000);
    await engine.boot();
    const second = await next(first);
    // Its time without a recorder is known once the stream is read again.
    const gaps = await gapsFrom(first);
    for (const { reason } of gaps) expect(reason).toBe('The recorder was replaced.');
    const parts = await stopped(second);
    expect(await engine.api.ended(first.id)).toMatchObject({ state: 'completed', next_part: second.id });
    expect(parts.at(-1)).toMatchObject({ state: 'stopped', next_part: null });
  });
});
