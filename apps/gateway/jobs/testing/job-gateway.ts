import { dirname } from 'node:path';
import { Job } from '@adit/contracts';
import { filmFacts, sampleMedia } from '@adit/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { startGateway, type TestGateway } from '../../testing/gateway.js';

export const film = sampleMedia().cap13;

export const request = { sources: [film], modules: { face_recognition: {} } };

export const facts = filmFacts({
  width: 400,
  height: 300,
  totalFrames: 765,
  duration: 30.6,
  startTimecode: '10:00:00:00',
});

export let gateway: TestGateway;

export let base: string;

export const post = async (extra: object = {}, headers: Record<string, string> = {}): Promise<Job> =>
  Job.parse((await gateway.ask('POST', '/api/v1/jobs/', { ...request, ...extra }, headers)).json());

/** Registers the hooks that start and end the shared parts of a spec. */
export function useJobGateway(): void {
  beforeAll(async () => {
    gateway = await startGateway({ localRoots: [dirname(film)] });
    await gateway.app.listen(0, '127.0.0.1');
    base = await gateway.app.getUrl();
  });
  afterAll(() => gateway?.close());
}
