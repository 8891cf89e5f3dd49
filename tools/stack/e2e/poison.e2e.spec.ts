/** @needs ffmpeg, build, servers, time */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { KafkaBus, KafkaConfig, type DeadLetter, type ReceivedMessage } from '@adit/bus';
import type { Job } from '@adit/contracts';
import { describeWith, sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mediaRoots } from '../../../apps/standalone/e2e/films.js';
import { StackUnderTest } from './stack-under-test.js';

const { groups } = sampleMedia();
const poison = groups['sample2']!;

await describeWith(['kafka', 'postgres', 'minio'], 'a picture that native code dies of, on Kafka', (servers) => {
  let stack: StackUnderTest;
  let bus: KafkaBus;
  let poisoned: Job;
  let neighbours: Job[];
  const letters: ReceivedMessage[] = [];

  beforeAll(async () => {
    const digest = createHash('sha256')
      .update(await readFile(poison))
      .digest('hex');
    stack = await StackUnderTest.start(servers, {
      localRoots: await mediaRoots(),
      // Work of a killed process is taken up when its lease has expired, twice here.
      environment: { ADIT_TEST_POISON: digest, ADIT_LEASE_SECONDS: '12' },
      // One process alone looks at faces, so that nobody else can take what stands behind the poison.
      counts: {
        notifier: 0,
        recorder: 0,
        'inference-object': 0,
        'inference-landmark': 0,
        'inference-speech': 0,
        'inference-text': 0,
      },
      programs: { 'inference-face': fileURLToPath(new URL('./poison-inference.mjs', import.meta.url)) },
    });
    bus = new KafkaBus(
      KafkaConfig.parse({ kafkaBrokers: servers.kafka.brokers.split(','), kafkaTopicPrefix: stack.topicPrefix }),
    );
    await bus.subscribe({
      topic: 'analyses.faces.requested.dead-letters',
      group: 'undertaker',
      concurrency: 1,
      handle: async (message) => void letters.push(message),
    });
    const bad = await stack.api.post({ sources: [poison] });
    const photos = await Promise.all(
      ['sample1', 'sample3', 'sample4', 'sample5'].map((name) => stack.api.post({ sources: [groups[name]!] })),
    );
    [poisoned, ...neighbours] = (await Promise.all([bad, ...photos].map(({ id }) => stack.api.ended(id)))) as [
      Job,
      ...Job[],
    ];
  });
  afterAll(async () => {
    await Promise.all([bus?.close(), stack?.close()]);
  });

  const deaths = () =>
    stack.lines.filter(({ name, line }) => name === 'inference-face' && line.startsWith('ended (SIGKILL)'));

  it('fails its own job after exactly three attempts, and says so', async () => {
    expect(poisoned).toMatchObject({
      state: 'failed',
      errors: [expect.stringContaining('the analysis was given up after 3 attempts')],
      modules: { face_recognition: { state: 'failed' } },
    });
    expect(deaths()).toHaveLength(3);
  });

  it('becomes one dead letter that says why', async () => {
    for (const end = Date.now() + 120_000; letters.length === 0 && Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(letters).toHaveLength(1);
    const { envelope } = letters[0]!;
    expect(envelope.jobId).toBe(poisoned.id);
    const { reason, payload } = envelope.payload as DeadLetter;
    expect(reason).toMatchObject({
      topic: 'analyses.faces.requested',
      group: 'inference-face',
      message: expect.stringContaining('given up after 3 attempts'),
    });
    expect(payload).toMatchObject({ chunkId: expect.any(String), analysisDigest: expect.any(String) });
  });

  it('costs its neighbours one try at the most, and nothing of what they ask', async () => {
    expect(neighbours.map(({ state, errors }) => [state, errors])).toEqual(neighbours.map(() => ['completed', []]));
    const tries = await stack.database.query<{ job_id: string; attempts: number }>(
      'SELECT job_id, attempts FROM chunk_analyses',
    );
    for (const { job_id: jobId, attempts } of tries) {
      if (jobId !== poisoned.id) expect(attempts).toBeLessThanOrEqual(2);
    }
  });
});
