/** @needs servers, time */
import { mediamtxProgram, ownServer, type OwnServer, type TestServers } from '@adit/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { pulledModel } from '../../libs/analyses/testing/pulled-models.js';
import { runChaos } from './chaos.mjs';

/** Every kind of job at least once. */
const JOBS = 10;
const TRAININGS = 1;
/** Kills in all outages. */
const KILLS = 3;
const names = ['kafka', 'postgres', 'minio'] as const;
const had = await Promise.all(names.map((name) => ownServer(name)));
const mediamtx = await mediamtxProgram();
const missing = had.flatMap((server, index) => ('reason' in server ? [`no ${names[index]}: ${server.reason}`] : []));
const weights = await pulledModel('whisper-base');
const without = [
  ...('reason' in weights ? [` (without speech: ${weights.reason})`] : []),
  ...('reason' in mediamtx ? [` (without live streams: ${mediamtx.reason.split('\n', 1)[0]})`] : []),
].join('');

(missing.length === 0 ? describe : describe.skip)(
  missing.length === 0 ? `chaos, the short form${without}` : `chaos (skipped: ${missing.join('; ')})`,
  () => {
    const [kafka, postgres, minio] = had as [
      TestServers['kafka'] & OwnServer,
      TestServers['postgres'] & OwnServer,
      TestServers['minio'] & OwnServer,
    ];
    afterAll(async () => void (await Promise.all([kafka, postgres, minio].map((server) => server.remove()))));

    /** @hardening jobs: Nothing is lost or doubled while processes die */
    it('loses nothing and doubles nothing while processes die and servers go away', async () => {
      const addresses = {
        KAFKA_BROKERS: kafka.brokers,
        DATABASE_URL: postgres.url,
        S3_ENDPOINT: minio.endpoint,
        S3_ACCESS_KEY: minio.accessKey,
        S3_SECRET_KEY: minio.secretKey,
      };
      const report = await runChaos({ kafka, postgres, minio }, addresses, {
        jobs: JOBS,
        trainings: TRAININGS,
        streams: 'program' in mediamtx ? 1 : 0,
        mediamtx,
        searches: 1,
        kills: KILLS,
        // Without 'expire': the sweeper, which it waits for, runs once a minute.
        actions: ['nothing', 'retry', 'delete'],
        outageSeconds: 6,
        counts: { 'inference-face': 2, 'inference-landmark': 0 },
        // Reply and stop times are for the long form, on an idle machine.
        patienceSeconds: 120,
        graceSeconds: 300,
        source: process.env['ADIT_BUILT'] === undefined,
        isBrief: true,
        environment: { ADIT_LEASE_SECONDS: '12' },
      });
      expect(report).toMatchObject({
        jobs: JOBS,
        hasSpeech: !('reason' in weights),
        trainings: TRAININGS,
        lost: [],
        wrong: [],
        doubled: [],
        miscounted: [],
        remains: [],
        unnotified: [],
        crashed: [],
        deadLetters: [],
        violations: [],
        messagesLeft: 0,
      });
      if (report.streams.count > 0) expect(report.streams.seconds).toBeGreaterThan(10);
      expect(Object.values(report.kills).reduce((sum, count) => sum + count, 0)).toBe(KILLS);
      expect(report.outages.map(({ server }) => server)).toEqual(names);
      for (const { recoverySeconds } of report.outages) expect(recoverySeconds).toBeLessThan(120);
    });
  },
);
