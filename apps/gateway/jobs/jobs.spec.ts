/** @needs ffmpeg, weights, build */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Job, JobPage } from '@adit/contracts';
import { ApiKeyEntity, JobEntity, ProbeEntity, WorkspaceEntity } from '@adit/database';
import { LockedJob } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { probeMedia } from '@adit/media';
import { describe, expect, it, jest } from '@jest/globals';
import { hashApiKey, newApiKey } from '../auth/api-key.js';
import { DryRun } from './job-routes.js';
import { JobWatch } from './job-signals.js';
import { useJobGateway, film, request, gateway, base, post } from './testing/job-gateway.js';

useJobGateway();

/** Moves a job as the aggregator does, events and all. */
const advance = (jobId: string, signal: Parameters<LockedJob['apply']>[0]): Promise<void> =>
  gateway.app.get(OutboxRelay).transaction(async (manager) => {
    const locked = await LockedJob.take(manager, jobId);
    await locked?.apply(signal);
  });

const finish = async (jobId: string): Promise<void> => {
  await advance(jobId, { kind: 'opened' });
  await advance(jobId, { kind: 'module-completed', module: 'face_recognition' });
  await advance(jobId, { kind: 'finished' });
};

function parseEvents(text: string): { id: string; event: string; data: string }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      return { id: field('id'), event: field('event'), data: field('data') };
    });
}

describe('a job of many sources', () => {
  /** @hardening scale: Every message carries the addresses of all sources */
  it('shows all of them when it is asked for, and the first hundred in lists', async () => {
    const sources = Array.from({ length: 250 }, (_, at) => `https://example.org/${at}.jpg`);
    const job = await post({ sources, tag: 'many sources' });
    expect(job).toMatchObject({ sources, source_count: 250 });
    const read = Job.parse((await gateway.ask('GET', `/api/v1/jobs/${job.id}/`)).json());
    expect(read).toMatchObject({ sources, source_count: 250 });
    expect(new URL(read.link).pathname).toBe(`/api/v1/jobs/${job.id}/`);
    const page = JobPage.parse((await gateway.ask('GET', '/api/v1/jobs/?tag=many%20sources')).json());
    expect(page.data).toMatchObject([
      { id: job.id, source_count: 250, link: read.link, sources: sources.slice(0, 100) },
    ]);
    await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`);
  });
});

describe('waiting and following', () => {
  it('waits for the end with Prefer: wait, woken by the event', async () => {
    const job = await post();
    // Nothing else wakes it: it would look again by itself after a few seconds.
    const { next } = JobWatch.prototype;
    const watch = jest.spyOn(JobWatch.prototype, 'next').mockImplementation(function (this: JobWatch, _, gone) {
      return next.call(this, 600_000, gone);
    });
    const waiting = gateway.ask('GET', `/api/v1/jobs/${job.id}/`, undefined, { prefer: 'wait=30' });
    while (watch.mock.calls.length === 0) await sleep(10);
    await finish(job.id);
    const answer = await waiting;
    expect(Job.parse(answer.json())).toMatchObject({ state: 'completed', progress: 1 });
    expect(answer.headers['preference-applied']).toBe('wait=30');
    watch.mockRestore();
  });

  it('answers when the time is over', async () => {
    const began = Date.now();
    const answer = await gateway.ask('POST', '/api/v1/jobs/', request, { prefer: 'respond-async, wait=1' });
    expect(Job.parse(answer.json()).state).toBe('waiting');
    expect(Date.now() - began).toBeGreaterThanOrEqual(950);
  });

  it('streams events until the end and resumes after one of them', async () => {
    const job = await post();
    const follow = (headers: Record<string, string> = {}) =>
      fetch(`${base}/api/v1/jobs/${job.id}/events/`, { headers: { authorization: `Key ${gateway.key}`, ...headers } });
    const stream = await follow();
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('x-request-id')).toBeTruthy();
    const text = stream.text();
    await sleep(100);
    await finish(job.id);
    const events = parseEvents(await text);
    const names = events.map(({ event }) => event);
    expect(names).toContain('job.face_recognition.on_completed');
    expect(names.at(-1)).toBe('job.on_completed');
    const middle = events[1] as (typeof events)[number];
    const rest = parseEvents(await (await follow({ 'last-event-id': middle.id })).text());
    expect(rest).toEqual(events.slice(2));
  });

  it('ends the stream of a job that is deleted', async () => {
    const job = await post();
    const stream = await fetch(`${base}/api/v1/jobs/${job.id}/events/`, {
      headers: { authorization: `Key ${gateway.key}` },
    });
    await advance(job.id, { kind: 'opened' });
    await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`);
    // At once, not when it looks again.
    const left = sleep(10_000, 'open', { ref: false });
    expect(await Promise.race([stream.text().then(() => 'ended'), left])).toBe('ended');
  });
});

describe('commands', () => {
  it('stops, retries and refuses what a state does not allow', async () => {
    const job = await post();
    const command = (name: string) => gateway.ask('POST', `/api/v1/jobs/${job.id}/${name}/`);
    expect((await command('retry')).status).toBe(409);
    expect(Job.parse((await command('stop')).json()).state).toBe('stopped');
    expect((await command('stop')).status).toBe(409);
    expect(Job.parse((await command('retry')).json())).toMatchObject({ state: 'waiting', time_completed: null });
  });

  it('searches by id, tag and state; the wildcards of SQL stand for themselves', async () => {
    const job = await post({ tag: '50%_off' });
    const total = async (query: string) =>
      (await gateway.ask('GET', `/api/v1/jobs/?${query}`)).json<{ total: number }>().total;
    expect(await total(`search=${job.id.slice(0, 8)}`)).toBe(1);
    expect(await total('search=50%25_')).toBe(1);
    expect(await total('search=5_%25')).toBe(0);
    expect(await total('tag=50%25_off&state=waiting')).toBe(1);
    expect(await total('tag=50%25_off&state=failed')).toBe(0);
  });

  it.each(['dry-run/', '?dry_run=true'])('says what a job would be without creating it, by %s', async (way) => {
    const before = await gateway.db.manager.count(JobEntity);
    const asked = gateway.ask('POST', `/api/v1/jobs/${way}`, request);
    // Nothing is opened in this process: a decoder is asked, in whose place this answers.
    let early: string | null = null;
    void asked.then(({ text }) => (early = text));
    let probe: ProbeEntity | undefined;
    while (probe === undefined) {
      // A refusal asks none.
      expect(early).toBeNull();
      await sleep(10);
      [probe] = await gateway.db.manager.find(ProbeEntity);
    }
    expect(probe).toMatchObject({ sources: [film], taken: false, results: null });
    const { facts } = await probeMedia(film);
    await gateway.db.manager.update(ProbeEntity, { id: probe.id }, { results: [{ facts, error: null }] });
    const plan = DryRun.parse((await asked).json());
    expect(await gateway.db.manager.count(ProbeEntity)).toBe(0);
    expect(plan).toMatchObject({ media_type: 'video', sources: [{ source: film, error: null }] });
    expect(plan.estimate.media_seconds).toBeCloseTo(30.6, 0);
    expect(plan.modules['face_recognition']?.analyses).toMatchObject([{ analysis: 'faces' }]);
    expect(await gateway.db.manager.count(JobEntity)).toBe(before);
  });

  it('lists modules with their arguments', async () => {
    const modules = (await gateway.ask('GET', '/api/v1/modules/')).json<Record<string, unknown>[]>();
    expect(modules.find(({ id }) => id === 'face_recognition')).toMatchObject({
      id: 'face_recognition',
      arguments: { type: 'object' },
    });
  });

  it("hides another workspace's jobs", async () => {
    const job = await post();
    const workspaceId = randomUUID();
    const key = newApiKey();
    await gateway.db.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 'whsec_x' });
    await gateway.db.manager.insert(ApiKeyEntity, {
      id: randomUUID(),
      workspaceId,
      name: 'other',
      prefix: 'adit_x',
      hash: hashApiKey(key),
      role: 'member',
    });
    const other = { authorization: `Key ${key}` };
    for (const path of ['', 'detailed-results/', 'summarized-results/', 'artifacts/', 'events/']) {
      const answer = await gateway.ask('GET', `/api/v1/jobs/${job.id}/${path}`, undefined, other);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`, undefined, other)).status).toBe(404);
    expect((await gateway.ask('GET', '/api/v1/jobs/', undefined, other)).json()['total']).toBe(0);
    expect((await gateway.ask('GET', '/api/v1/api-keys/', undefined, other)).status).toBe(403);
  });
});

describe('keys', () => {
  /** @hardening privacy: A configured key is shown, or stays valid */
  it('keys are listed without the secret, work, and stop working', async () => {
    const made = (await gateway.ask('POST', '/api/v1/api-keys/', { name: 'short' })).json<{
      id: string;
      key: string;
    }>();
    const own = { authorization: `Key ${made.key}` };
    expect((await gateway.ask('GET', '/api/v1/jobs/', undefined, own)).status).toBe(200);
    expect((await gateway.ask('GET', '/api/v1/api-keys/')).text).not.toContain(made.key);
    expect((await gateway.ask('DELETE', `/api/v1/api-keys/${made.id}/`)).status).toBe(200);
    expect((await gateway.ask('GET', '/api/v1/jobs/', undefined, own)).status).toBe(401);
    const rows = await gateway.db.manager.findBy(ApiKeyEntity, { role: 'admin' });
    expect(rows.filter(({ workspaceId }) => workspaceId === gateway.workspaceId)).toHaveLength(1);
    expect((await gateway.ask('DELETE', `/api/v1/api-keys/${rows[0]?.id}/`)).status).toBe(409);
  });

  it('renews the signing secret', async () => {
    const before = (await gateway.ask('GET', '/api/v1/signing-secret/')).json();
    const renewed = (await gateway.ask('POST', '/api/v1/signing-secret/')).json();
    expect(renewed['signing_secret']).toMatch(/^whsec_/);
    expect(renewed).not.toEqual(before);
    expect((await gateway.ask('GET', '/api/v1/signing-secret/')).json()).toEqual(renewed);
  });
});
