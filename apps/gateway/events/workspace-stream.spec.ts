import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_DATA } from '@adit/contracts';
import { LockedJob } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { forgetEvents } from '@adit/webhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

let gateway: TestGateway;
let base: string;
beforeAll(async () => {
  gateway = await startGateway({ eventStreams: 2 });
  await gateway.app.listen(0, '127.0.0.1');
  base = (await gateway.app.getUrl()).replace('[::1]', '127.0.0.1');
}, BOOT_MS);
afterAll(() => gateway?.close());

interface ReceivedEvent {
  id: string;
  event: string;
  data: { event: string; timestamp: number; data: { job?: { id: string; state: string } } };
}

/** An open stream, read as it comes. */
class Following {
  private readonly ending = new AbortController();
  text = '';
  /** Resolves when the server ends it. */
  over: Promise<void> = Promise.resolve();
  private constructor(readonly reply: Response) {}

  /** Once a stream that was ended before has given its place back, which it does a moment later. */
  static async open(key?: string, after?: string, path?: string): Promise<Following> {
    for (;;) {
      const following = await Following.ask(key, after, path);
      if (following.reply.status !== 429) return following;
      await sleep(20);
    }
  }

  static async ask(key = gateway.key, after?: string, path = 'events/'): Promise<Following> {
    const ending = new AbortController();
    const reply = await fetch(`${base}/api/v1/${path}`, {
      headers: { authorization: `Key ${key}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
      signal: ending.signal,
    });
    const following = new Following(reply);
    following.ending.signal.addEventListener('abort', () => ending.abort());
    if (reply.status === 200) following.over = following.read();
    return following;
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of this.reply.body ?? []) this.text += decoder.decode(bytes, { stream: true });
    } catch {
      // Ended by `end`.
    }
  }

  get blocks(): Record<string, string>[] {
    const whole = this.text.slice(0, this.text.lastIndexOf('\n\n') + 2);
    return whole
      .split('\n\n')
      .filter((block) => block !== '')
      .map((block) => Object.fromEntries(block.split('\n').map((line) => /^(\w*): (.*)$/.exec(line)?.slice(1) ?? [])));
  }

  get received(): ReceivedEvent[] {
    return this.blocks.flatMap(({ id = '', event, data = '' }) =>
      event === undefined ? [] : [{ id, event, data: JSON.parse(data) }],
    );
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await sleep(20);
  }

  async end(): Promise<void> {
    this.ending.abort();
    await sleep(50);
  }
}

async function post(): Promise<string> {
  const order = { sources: ['https://example.org/film.mp4'], modules: { face_recognition: {} } };
  const { status, json } = await gateway.ask('POST', '/api/v1/jobs/', order);
  expect(status).toBe(200);
  return json<{ id: string }>().id;
}

async function start(jobId: string): Promise<void> {
  await gateway.app.get(OutboxRelay).transaction(async (manager) => {
    await (await LockedJob.take(manager, jobId))?.apply({ kind: 'opened' });
  });
}
const stop = (jobId: string) => gateway.ask('POST', `/api/v1/jobs/${jobId}/stop/`);

describe('the event stream of a workspace', () => {
  it('tells what happens from then on in the words and with the data of webhooks, of this workspace alone', async () => {
    const before = await post();
    await start(before);
    const other = await gateway.ask('POST', '/api/v1/workspaces/', { name: 'other' });
    const [mine, others] = [await Following.open(), await Following.open(other.json<{ key: string }>().key)];
    const [first] = await Promise.all([post(), mine.until(() => mine.blocks.length > 1)]);
    await start(first);
    await stop(first);
    await mine.until(() => mine.received.length === 2);
    expect(mine.reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(mine.received.map(({ event }) => event)).toEqual(['svc.job.on_started', 'svc.job.on_stopped']);
    // The job as it was when the event happened.
    expect(mine.received.map(({ data }) => data.data.job)).toMatchObject([
      { id: first, state: 'processing' },
      { id: first, state: 'stopped' },
    ]);
    for (const { event, data } of mine.received) {
      expect(data.event).toBe(event);
      expect(data.timestamp).toBeCloseTo(Date.now() / 1000, -2);
      expect(EVENT_DATA[event]?.safeParse(data.data).error).toBeUndefined();
    }
    await sleep(2_500);
    expect(others.received).toEqual([]);
    await Promise.all([mine.end(), others.end()]);
  });

  it('goes on after what was seen, and from its beginning where nothing was', async () => {
    const one = await Following.open();
    await one.until(() => one.blocks.some(({ id }) => id !== undefined));
    const [{ id: start0 = '' } = {}] = one.blocks.filter(({ id }) => id !== undefined);
    await one.end();
    const jobs = [await post(), await post()];
    for (const id of jobs) await start(id);
    for (const id of jobs) await stop(id);
    const again = await Following.open(gateway.key, start0);
    await again.until(() => again.received.length === 4);
    await again.end();
    const all = again.received;
    expect(all.map(({ data }) => data.data.job?.id)).toEqual([...jobs, ...jobs]);
    const rest = await Following.open(gateway.key, all[1]?.id);
    await rest.until(() => rest.received.length === 2);
    expect(rest.received).toEqual(all.slice(2));
    await rest.end();
  });

  it('leaves out what is of a job that was deleted, and goes on', async () => {
    const [{ number }] = await gateway.db.query(
      'SELECT last AS number FROM workspace_event_heads WHERE workspace_id = $1',
      [gateway.workspaceId],
    );
    const [gone, left] = [await post(), await post()];
    for (const id of [gone, left]) await start(id);
    await gateway.ask('DELETE', `/api/v1/jobs/${gone}/`);
    const [{ kept }] = await gateway.db.query('SELECT count(*)::int AS kept FROM workspace_events WHERE job_id = $1', [
      gone,
    ]);
    expect(kept).toBe(0);
    const stream = await Following.open(gateway.key, String(number));
    await stream.until(() => stream.received.length === 1);
    expect(stream.received[0]?.data.data.job?.id).toBe(left);
    await stream.end();
  });

  it('refuses what it cannot go on after, and what is no id', async () => {
    expect((await Following.open(gateway.key, '99999999')).reply.status).toBe(412);
    expect((await Following.open(gateway.key, 'yesterday')).reply.status).toBe(400);
    await gateway.db.query('UPDATE workspace_event_heads SET forgotten = 3 WHERE workspace_id = $1', [
      gateway.workspaceId,
    ]);
    const { reply } = await Following.open(gateway.key, '2');
    expect([reply.status, await reply.json()]).toMatchObject([412, { code: 'PRECONDITION_FAILED' }]);
    const fits = await Following.open(gateway.key, '3');
    expect(fits.reply.status).toBe(200);
    await fits.end();
  });

  it('streams beyond a client’s limit are refused, until one ends', async () => {
    const open = [await Following.open(), await Following.open()];
    const { reply } = await Following.ask();
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '5']);
    const other = await gateway.ask('POST', '/api/v1/workspaces/', { name: 'third' });
    const elsewhere = await Following.open(other.json<{ key: string }>().key);
    expect(elsewhere.reply.status).toBe(200);
    await open[0]?.end();
    const next = await Following.open();
    expect(next.reply.status).toBe(200);
    for (const each of [...open, next, elsewhere]) await each.end();
  });

  it('streams are for API keys', async () => {
    expect((await Following.open('no key')).reply.status).toBe(401);
    expect((await gateway.ask('HEAD', '/api/v1/events/')).headers['content-type']).toMatch(/^text\/event-stream/);
  });

  it('a stream ends when its key is revoked, as that of a job does', async () => {
    const job = await post();
    const made = await gateway.ask('POST', '/api/v1/api-keys/', { name: 'reader', role: 'reader' });
    const { id, key } = made.json<{ id: string; key: string }>();
    const open = [await Following.open(key), await Following.open(key, undefined, `jobs/${job}/events/`)];
    await open[0]?.until(() => open[0]?.text.includes('id: ') === true);
    expect((await gateway.ask('DELETE', `/api/v1/api-keys/${id}/`)).status).toBe(200);
    await start(job);
    await Promise.all(open.map(({ over }) => over));
    expect(open.flatMap(({ received }) => received)).toEqual([]);
  }, 20_000);

  it('a stream ends, and leaves nothing out, for a client so slow that its unread events are forgotten', async () => {
    const [{ last }] = await gateway.db.query('SELECT last FROM workspace_event_heads WHERE workspace_id = $1', [
      gateway.workspaceId,
    ]);
    const after = String(last);
    await gateway.db.query(
      `INSERT INTO workspace_events (workspace_id, subject_id, event, data)
       SELECT $1, gen_random_uuid(), 'svc.export.on_completed', jsonb_build_object('n', repeat('x', 200000)) FROM generate_series(1, 200)`,
      [gateway.workspaceId],
    );
    const slow = await fetch(`${base}/api/v1/events/`, {
      headers: { authorization: `Key ${gateway.key}`, 'last-event-id': after },
    });
    // By then the buffers between are full.
    await sleep(2_000);
    await forgetEvents(gateway.db, { before: new Date(0), most: 10 }, () => Promise.resolve(true));
    const ids = [...(await slow.text()).matchAll(/^id: (\d+)\nevent/gm)].map(([, id]) => Number(id) - Number(after));
    expect(ids.length).toBeLessThan(190);
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    expect((await Following.open(gateway.key, String(Number(after) + ids.length))).reply.status).toBe(412);
  }, 30_000);
});
