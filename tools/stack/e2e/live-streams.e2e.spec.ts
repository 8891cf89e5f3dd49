/** @needs ffmpeg, weights, build, servers, time */
import { setTimeout as sleep } from 'node:timers/promises';
import { StreamGapPage, type Job } from '@adit/contracts';
import { describeLive, describeWith, liveServer, mediamtxProgram, type LiveServer } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Api } from '../../../apps/standalone/e2e/api.js';
import { manTwice, mediaRoots } from '../../../apps/standalone/e2e/films.js';
import type { ServiceProcess } from '../service-process.mjs';
import { StackUnderTest } from './stack-under-test.js';

const live = await mediamtxProgram();
const title = 'live streams on Kafka, with two recorders';

if (!('program' in live)) await describeLive(title, () => undefined);
else {
  const { program } = live;
  await describeWith(['kafka', 'postgres', 'minio'], title, (servers) => {
    let camera: LiveServer;
    let stack: StackUnderTest;
    let job: Job;

    beforeAll(async () => {
      camera = await liveServer(program);
      stack = await StackUnderTest.start(servers, {
        localRoots: await mediaRoots(),
        environment: {
          ADIT_ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32',
          ADIT_STREAM_DRAIN_SECONDS: '60',
          ADIT_SHUTDOWN_GRACE_SECONDS: '90',
          // Nothing is left out, however busy the machine is: all gaps are those of the recorders.
          ADIT_STREAM_LAG_SECONDS: '600',
        },
        counts: {
          recorder: 2,
          notifier: 0,
          decoder: 0,
          'inference-object': 0,
          'inference-landmark': 0,
          'inference-speech': 0,
          'inference-text': 0,
        },
      });
      await camera.publish('open/cam', await manTwice());
      job = await stack.api.post({
        sources: [`rtsp://127.0.0.1:${camera.ports.rtsp}/open/cam`],
        modules: { face_recognition: {} },
      });
    });
    afterAll(async () => {
      await Promise.all([stack?.close(), camera?.remove()]);
    });

    const read = async (seconds: number): Promise<void> => {
      for (const end = Date.now() + 240_000; (await stack.api.job(job.id)).duration < seconds; await sleep(250)) {
        if (Date.now() > end) throw new Error(`${seconds} s were not read.\n${stack.log()}`);
      }
    };
    const gaps = async () => (await stack.api.call(StreamGapPage, 'GET', `/jobs/${job.id}/gaps/`)).data;
    const gapsWithin = async (seconds: number) => {
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(500)) {
        if ((await gaps()).length > 0) break;
      }
      return gaps();
    };
    /** The recorder that reads the stream, and the other one. */
    const recorders = async (): Promise<[ServiceProcess, ServiceProcess]> => {
      const all = stack.processes.of('recorder');
      const reads = await Promise.all(
        all.map(({ address }) => new Api(address, StackUnderTest.key).metric('adit_streams_read')),
      );
      expect(reads.toSorted()).toEqual([0, 1]);
      return [all[reads.indexOf(1)]!, all[reads.indexOf(0)]!];
    };

    it('a recorder that is drained hands its stream over without a gap', async () => {
      await read(4);
      const [old, other] = await recorders();
      expect(await old.stop(120_000)).toBe(true);
      expect(await new Api(other.address, StackUnderTest.key).metric('adit_streams_read')).toBe(1);
      await read((await stack.api.job(job.id)).duration + 4);
      expect(await gaps()).toEqual([]);
      expect((await stack.api.job(job.id)).errors).toEqual([]);
      old.start();
      await old.ready();
    });

    it('one that is killed leaves a gap that says so, and the other goes on', async () => {
      const [old] = await recorders();
      old.kill();
      const [gap, ...more] = await gapsWithin(240);
      expect(more).toEqual([]);
      expect(gap?.reason).toMatch(/recorder/);
      await read(gap!.time_end + 4);
      await stack.api.request('POST', `/jobs/${job.id}/stop/`);
      expect(await stack.api.ended(job.id)).toMatchObject({ state: 'stopped' });
      // Frames are counted on over both.
      for (const { frame_end: frame, time_end: time } of await stack.api.segments(job.id)) {
        expect(Number(frame)).toBeLessThanOrEqual(Math.round(time * 25) + 5);
      }
    });
  });
}
