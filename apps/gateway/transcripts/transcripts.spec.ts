/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { BUS, type Bus } from '@adit/bus';
import { RESOURCE_EVENTS, type Payload } from '@adit/contracts';
import { JobEntity, JobSourceEntity, TranscriptEntity, WebhookEntity } from '@adit/database';
import { TranscriptErasures, TranscriptReader, TranscriptWriter } from '@adit/transcript-store';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { scopeOf } from '../auth/access-scopes.js';
import { World } from '../contract/world.js';
import { ExportsController } from '../exports/exports.controller.js';
import { routesOf } from '../http/route.js';
import type { Answer } from '../testing/gateway.js';
import { SEARCHES, TranscriptsController } from './transcripts.controller.js';

type Row = Record<string, unknown>;
interface Paragraph {
  id: string;
  index: number;
  revision: number;
  text: string;
  speaker: string | null;
}

let world: World;
const events: { event: string; data: Row }[] = [];

beforeAll(async () => {
  world = await World.start();
  const { db, workspaceId } = world.gateway;
  await db.manager.insert(
    WebhookEntity,
    RESOURCE_EVENTS.map((event) => ({
      ...{ id: randomUUID(), workspaceId, event, url: 'https://newsroom.example.org/adit', secret: 's' },
    })),
  );
  await world.gateway.app.get<Bus>(BUS).subscribe({
    topic: 'events.raised',
    group: 'spec',
    concurrency: 1,
    handle: ({ envelope }) => {
      const { event, data } = envelope.payload as Payload<'events.raised'>;
      const resource = data['resource'] as { data: Row } | undefined;
      if (resource !== undefined) events.push({ event, data: resource.data });
      return Promise.resolve();
    },
  });
}, 600_000);
afterAll(() => world?.close());

const ask = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  world.ask(method, `/api/v1/${url}`, body, headers);
const at = async (texts?: string[]): Promise<string> => {
  const [id, variant] = await world.transcript(texts);
  return `transcripts/${id}/variants/${variant}/versions`;
};
const pageOf = async (url: string): Promise<Paragraph[]> =>
  (await ask('GET', `${url}/paragraphs/?limit=100`)).json<{ data: Paragraph[] }>().data;
const codeOf = ({ status, json }: Answer) => [status, (json()['errors'] as Row[] | undefined)?.[0]?.['code']];

/** Resolves when the audit log has the line, which is written soon after the reply. */
async function audited(id: string, line: { action: string; resource: string }): Promise<void> {
  for (;;) {
    const { data } = (await ask('GET', `audit-log/?resource_id=${id}`)).json<{ data: Row[] }>();
    if (data.some(({ action, resource }) => action === line.action && resource === line.resource)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the events raised for a transcript, once there are `count` of them. */
async function raised(id: string, count: number): Promise<typeof events> {
  const found = () => events.filter(({ data }) => JSON.stringify(data).includes(id));
  while (found().length < count) await new Promise((resolve) => setTimeout(resolve, 20));
  return found();
}

describe('a transcript', () => {
  it('a transcript is made of a job that has ended, and sends its event', async () => {
    const jobId = await world.transcribedJob();
    const made = await ask('POST', 'transcripts/', { job_id: jobId, tag: 'evening' });
    const transcript = made.json();
    expect(transcript).toMatchObject({
      tag: 'evening',
      source: world.order.sources[0],
      job: { id: jobId, is_synced_to_kg: false, media_type: expect.any(String), webhook: null },
    });
    const id = transcript['id'] as string;
    expect((await ask('GET', `transcripts/${id}/`)).json()).toEqual(transcript);
    expect((await ask('GET', `transcripts/?job_id=${jobId}&search=EVEN`)).json()).toMatchObject({ total: 1 });
    expect(await raised(id, 2)).toMatchObject([
      { event: 'svc.transcript.on_created', data: { transcript: { id, job: { id: jobId, is_synced_to_kg: false } } } },
      { event: 'svc.transcript.variant.version.on_created', data: { version: { version: 1, transcript_id: id } } },
    ]);
  });

  it('a transcript of a job with many long sources is referred to in its event', async () => {
    const jobId = await world.transcribedJob();
    const uris = Array.from({ length: 99 }, (_, at) => `https://example.org/${at}/${'a'.repeat(4_000)}`);
    await world.gateway.db.manager.insert(
      JobSourceEntity,
      uris.map((uri, at) => ({ jobId, index: at + 1, uri, state: 'planned' as const })),
    );
    const made = await ask('POST', 'transcripts/', { job_id: jobId, source: uris[0] });
    expect([made.status, made.json()]).toMatchObject([200, { source: uris[0], job: { source_count: 100 } }]);
    const [{ data }] = (await raised(made.json()['id'] as string, 2)) as [(typeof events)[number]];
    expect(data).toMatchObject({ transcript: { source: uris[0], job: { id: jobId } } });
    expect(JSON.stringify(data).length).toBeLessThan(10_000);
  });

  it('a transcript of a job that has no speech, runs, or is not there is refused', async () => {
    const running = await world.transcribedJob();
    await world.gateway.db.manager.update(JobEntity, { id: running }, { state: 'processing' });
    const refused = async (jobId: string) => codeOf(await ask('POST', 'transcripts/', { job_id: jobId }));
    expect(await refused(await world.job())).toEqual([400, 'no_speech']);
    expect(await refused('x')).toEqual([400, 'unknown_job']);
    expect((await refused(running))[0]).toBe(409);
  });

  it('a transcript goes with its job, with its workspace and by itself, exports and all', async () => {
    const { manager } = world.gateway.db;
    const { id: workspaceId } = (await ask('POST', 'workspaces/', { name: 'leaving' })).json<{ id: string }>();
    const rowsOf = async (jobId: string): Promise<number[]> => {
      const tables = ['transcripts', 'transcript_variants', 'transcript_versions', 'transcript_paragraphs', 'exports'];
      const counts = tables.map(async (table) => {
        const [row] = await manager.query<[{ n: number }]>(
          `SELECT count(*)::int AS n FROM ${table} WHERE job_id = $1`,
          [jobId],
        );
        return row.n;
      });
      return Promise.all(counts);
    };
    for (const kind of ['transcripts', 'jobs', 'workspaces']) {
      const [id, variantId] = await world.transcript();
      const { jobId } = await manager.findOneByOrFail(TranscriptEntity, { id });
      const config = { transcript_id: id, variant_id: variantId, format: 'srt' };
      const order = await ask('POST', 'exports/', { strategy: 'transcript_export', config });
      expect(order.json()).toMatchObject({ config: { version: 1, format: 'srt' } });
      expect(await rowsOf(jobId)).toEqual([1, 1, 1, 2, 1]);
      if (kind === 'workspaces') {
        for (const table of ['jobs', 'transcripts', 'exports']) {
          const column = table === 'jobs' ? 'id' : 'job_id';
          await manager.query(`UPDATE ${table} SET workspace_id = $1 WHERE ${column} = $2`, [workspaceId, jobId]);
        }
      }
      const deleted = { transcripts: id, jobs: jobId, workspaces: workspaceId }[kind];
      expect((await ask('DELETE', `${kind}/${deleted}/`)).status).toBe(200);
      expect((await ask('GET', `transcripts/${id}/`)).status).toBe(404);
      expect((await ask('GET', `exports/${String(order.json()['id'])}/`)).status).toBe(404);
      expect(await rowsOf(jobId)).toEqual([0, 0, 0, 0, 0]);
    }
  });

  it('a transcript that was deleted by a process that died is erased by the sweeper', async () => {
    const [id] = await world.transcript();
    await world.gateway.db.manager.update(TranscriptEntity, { id }, { timeDeleted: new Date() });
    expect((await ask('GET', `transcripts/${id}/`)).status).toBe(404);
    const erasures = world.gateway.app.get(TranscriptErasures, { strict: false });
    for (const left of await erasures.left(100)) await erasures.erase(left.id);
    expect(await world.gateway.db.manager.countBy(TranscriptEntity, { id })).toBe(0);
  });
});

describe('a paragraph', () => {
  it('a paragraph is edited by whoever has read it last', async () => {
    const versions = await at();
    const [{ id }] = (await pageOf(`${versions}/1`)) as [Paragraph];
    const one = `${versions}/1/paragraphs/${id}/`;
    const read = await ask('GET', one);
    const etag = read.headers['etag'] as string;
    expect((await ask('GET', one, undefined, { 'if-none-match': etag })).status).toBe(304);
    const put = (text: string, headers: Record<string, string> = {}) =>
      ask('PUT', one, { ...read.json<Paragraph>(), text }, headers);
    const first = await put('Good day.', { 'if-match': etag });
    expect(first.json()).toMatchObject({ id, index: 0, revision: 2, text: 'Good day.' });
    expect((await put('Good night.', { 'if-match': etag })).status).toBe(412);
    expect(codeOf(await put('Good night.'))).toEqual([409, 'changed_since']);
    expect((await put('Good night.', { 'if-match': first.headers['etag'] as string })).json()).toMatchObject({
      revision: 3,
    });
    expect((await put('Good night!', { 'if-match': '"3"' })).json()).toMatchObject({ revision: 4 });
    // Nothing changes: no version.
    expect((await put('Good night!', { 'if-match': '"4"' })).json()).toMatchObject({ revision: 4 });
    const spoken = await ask('PATCH', `${versions}/4/paragraphs/${id}/`, { speaker: 'Ada' });
    expect(spoken.json()).toMatchObject({ revision: 5, text: 'Good night!', speaker: 'Ada' });
    expect((await ask('GET', one)).json()).toEqual(read.json());
    const list = await ask('GET', `${versions}/`);
    expect(list.json()).toMatchObject({ total: 5, data: [{ version: 5 }, {}, {}, {}, { version: 1 }] });
    const transcriptId = versions.split('/')[1]!;
    const told = (await raised(transcriptId, 2 + 4 + 3)).filter(({ event }) => event.endsWith('paragraph.on_updated'));
    expect(told.map(({ data }) => data['paragraph'])).toMatchObject([
      { id, text: 'Good day.', version: 2, transcript_id: transcriptId },
      { text: 'Good night.', version: 3 },
      { text: 'Good night!', version: 4 },
    ]);
  });

  it('a paragraph has a limit, and needs a valid header', async () => {
    const versions = await at();
    const [{ id }] = (await pageOf(`${versions}/1`)) as [Paragraph];
    const put = async (body: object, headers: Record<string, string> = {}) =>
      (await ask('PUT', `${versions}/1/paragraphs/${id}/`, body, headers)).status;
    expect(await put({ text: 'x'.repeat(10_000) })).toBe(200);
    for (const text of ['x'.repeat(10_001), 'a '.repeat(2_001), 'a\0b', 7]) {
      expect(await put({ text }, { 'if-match': '*' })).toBe(400);
    }
    expect(await put({ text: 'a', speaker: 'x'.repeat(201) }, { 'if-match': '*' })).toBe(400);
    expect(await put({ text: 'a', time_start: 3, time_end: 2 }, { 'if-match': '*' })).toBe(400);
    expect(await put({ text: 'a', unknown: 1 }, { 'if-match': '*' })).toBe(400);
    expect(await put({ text: 'a' }, { 'if-match': 'two' })).toBe(400);
    const change = { after: null, text: 'a', time_start: 0, time_end: 1 };
    const many = await ask('POST', `${versions}/`, { changes: Array.from({ length: 1_001 }, () => change) });
    expect(many.status).toBe(400);
  });

  it('a paragraph is found by its text, and among the differences of two versions', async () => {
    const versions = await at(['One.', 'Two, three.', 'Four.']);
    const [, two] = (await pageOf(`${versions}/1`)) as [Paragraph, Paragraph];
    await ask('POST', `${versions}/`, { base_version: 1, changes: [{ id: two.id, text: 'Two, three!' }] });
    expect((await ask('GET', `${versions}/2/paragraphs/?search=THREE`)).json()).toMatchObject({
      total: 1,
      data: [{ index: 1, text: 'Two, three!' }],
    });
    expect((await ask('GET', `${versions}/2/diff/?from=1`)).json()).toMatchObject({
      total: 1,
      data: [
        {
          id: two.id,
          kind: 'changed',
          words: [{ kind: 'same', text: 'Two,' }, { kind: 'removed' }, { kind: 'added' }],
        },
      ],
    });
    expect((await ask('GET', `${versions}/2/diff/`)).status).toBe(400);
    expect((await ask('GET', `${versions}/2/diff/?from=7`)).status).toBe(404);
    const restored = await ask('POST', `${versions}/`, { restore_version: 1 }, { 'if-match': '"2"' });
    expect(restored.json()).toMatchObject({ version: 3, restored_version: 1 });
    expect((await ask('POST', `${versions}/`, {}, { 'if-match': '"2"' })).status).toBe(412);
    expect((await pageOf(`${versions}/3`)).map(({ text }) => text)).toEqual(['One.', 'Two, three.', 'Four.']);
  });
});

describe('a variant', () => {
  it('a variant is copied for a person to translate; no model that would is installed', async () => {
    const [id] = await world.transcript();
    const url = `transcripts/${id}/variants/`;
    expect(codeOf(await ask('POST', url, { language: 'de' }))).toEqual([400, 'model_not_installed']);
    const copy = await ask('POST', url, { language: 'de', mode: 'copy' });
    expect(copy.json()).toMatchObject({ name: 'de', language: 'de', latest_version: 1 });
    expect((await ask('GET', url)).json()).toMatchObject({
      total: 2,
      data: [{ name: 'original', language: 'en' }, { name: 'de' }],
    });
    expect((await ask('GET', `${url}${String(copy.json()['id'])}/`)).json()).toEqual(copy.json());
  });
});

describe('a variant that is deleted', () => {
  const copied = async (id: string, language = 'de'): Promise<string> =>
    (await ask('POST', `transcripts/${id}/variants/`, { language, mode: 'copy' })).json<{ id: string }>().id;
  const rowsOf = async (variantId: string): Promise<number[]> => {
    const { db } = world.gateway;
    const rows = [
      'transcript_variants WHERE id = $1',
      'transcript_versions WHERE variant_id = $1',
      'transcript_paragraphs WHERE variant_id = $1',
      `exports WHERE config ->> 'variant_id' = $1::uuid::text`,
    ];
    return Promise.all(
      rows.map(async (of) => {
        const [row] = await db.query<[{ n: number }]>(`SELECT count(*)::int AS n FROM ${of}`, [variantId]);
        return row.n;
      }),
    );
  };
  const exported = async (id: string, variantId: string): Promise<string> => {
    const config = { transcript_id: id, variant_id: variantId, format: 'srt' };
    return (await ask('POST', 'exports/', { strategy: 'transcript_export', config })).json<{ id: string }>().id;
  };

  it('a deleted variant goes with its versions, paragraphs and exports, and leaves the others', async () => {
    const [id, original] = await world.transcript();
    const variant = await copied(id);
    const url = `transcripts/${id}/variants/${variant}/`;
    const change = { after: null, text: 'Guten Abend.', time_start: 0, time_end: 1 };
    await ask('POST', `${url}versions/`, { changes: [change] });
    const [kept, gone] = [await exported(id, original), await exported(id, variant.toUpperCase())];
    expect([await rowsOf(variant), await rowsOf(original)]).toEqual([
      [1, 2, 3, 1],
      [1, 1, 2, 1],
    ]);
    expect((await ask('DELETE', url)).json()).toEqual({ message: `The variant de (${variant}) was deleted.` });
    expect([await rowsOf(variant), await rowsOf(original)]).toEqual([
      [0, 0, 0, 0],
      [1, 1, 2, 1],
    ]);
    expect((await ask('GET', `transcripts/${id}/variants/`)).json()).toMatchObject({ total: 1 });
    expect((await ask('GET', `exports/${kept}/`)).status).toBe(200);
    for (const [method, path] of [
      ['DELETE', url],
      ['GET', url],
      ['GET', `exports/${gone}/`],
    ] as const) {
      expect([method, path, (await ask(method, path)).status]).toEqual([method, path, 404]);
    }
    await audited(`${id}/${variant}`, { action: 'deleted', resource: 'transcripts/variants' });
    expect(codeOf(await ask('DELETE', `transcripts/${id}/variants/${original}/`))).toEqual([409, 'original_variant']);
    expect(await rowsOf(original)).toEqual([1, 1, 2, 1]);
  });

  it('a variant is deleted once, however many ask at once', async () => {
    const [id] = await world.transcript();
    const url = `transcripts/${id}/variants/${await copied(id)}/`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask('DELETE', url)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
  });

  it('a variant is hidden when its process died during the deletion, and erased by the sweeper', async () => {
    const [id] = await world.transcript(Array.from({ length: 1_200 }, (_, at) => `Satz ${at}.`));
    const variant = await copied(id);
    const order = await exported(id, variant);
    const { db, app } = world.gateway;
    const erasures = app.get(TranscriptErasures, { strict: false });
    await app.get(TranscriptWriter, { strict: false }).removeVariant(world.gateway.workspaceId, id, variant);
    const url = `transcripts/${id}/variants/${variant}/`;
    const change = { after: null, text: 'a', time_start: 0, time_end: 1 };
    for (const [method, path, body] of [
      ['GET', url],
      ['DELETE', url],
      ['POST', `${url}versions/`, { changes: [change] }],
      ['GET', `${url}versions/1/paragraphs/`],
      ['GET', `exports/${order}/`],
    ] as const) {
      expect([method, path, (await ask(method, path, body)).status]).toEqual([method, path, 404]);
    }
    expect((await ask('GET', 'exports/?limit=100')).text).not.toContain(order);
    const again = await ask('POST', `transcripts/${id}/variants/`, {
      language: 'fr',
      mode: 'copy',
      variant_id: variant,
    });
    expect(codeOf(again)).toEqual([400, 'unknown_variant']);
    expect(await rowsOf(variant)).toEqual([1, 1, 1_200, 1]);
    // It dies once more, behind the first step.
    let steps = 0;
    await erasures.eraseVariant(variant, () => Promise.resolve((steps += 1) === 1));
    expect(await rowsOf(variant)).toEqual([1, 1, 201, 0]);
    for (const left of await erasures.leftVariants(100)) await erasures.eraseVariant(left.id);
    expect(await rowsOf(variant)).toEqual([0, 0, 0, 0]);
    expect(await db.manager.countBy(TranscriptEntity, { id })).toBe(1);
  });

  it('rows that an older build writes meanwhile are deleted, too', async () => {
    const [id] = await world.transcript();
    const variant = await copied(id);
    const { db, app } = world.gateway;
    await app.get(TranscriptWriter, { strict: false }).removeVariant(world.gateway.workspaceId, id, variant);
    const writing = db.createQueryRunner();
    await writing.startTransaction();
    await writing.query('SELECT 1 FROM transcript_variants WHERE id = $1 FOR UPDATE', [variant]);
    const erased = app.get(TranscriptErasures, { strict: false }).eraseVariant(variant);
    await writing.query(
      `INSERT INTO transcript_versions (variant_id, version, id, job_id, paragraphs, author)
       SELECT id, 2, gen_random_uuid(), job_id, 0, 'old' FROM transcript_variants WHERE id = $1`,
      [variant],
    );
    await writing.commitTransaction();
    await writing.release();
    await erased;
    expect(await rowsOf(variant)).toEqual([0, 0, 0, 0]);
  });
});

describe('a search', () => {
  it('searches of one workspace run a few at a time; others wait, and more are refused', async () => {
    const versions = await at();
    const searched = `${versions}/1/paragraphs/?search=good`;
    const reader = world.gateway.app.get(TranscriptReader, { strict: false });
    const read = reader.paragraphs.bind(reader);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    let reading = 0;
    let most = 0;
    reader.paragraphs = async (place, query) => {
      if (query.search === undefined) return read(place, query);
      most = Math.max(most, (reading += 1));
      await gate;
      return read(place, query).finally(() => (reading -= 1));
    };
    try {
      const count = SEARCHES.concurrency + SEARCHES.waiting + 1;
      const answers = Array.from({ length: count }, () => ask('GET', searched));
      // One is refused while all others wait.
      const refused = await Promise.race(answers);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
      expect(reading).toBe(SEARCHES.concurrency);
      // Who looks for nothing waits for nobody.
      expect(await pageOf(`${versions}/1`)).toHaveLength(2);
      open();
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(count - 1);
      expect(most).toBe(SEARCHES.concurrency);
    } finally {
      open();
      reader.paragraphs = read;
    }
  });
});

describe('the size of transcripts', () => {
  const own = (): string => `workspaces/${world.gateway.workspaceId}/`;
  const used = async (): Promise<number> => (await ask('GET', own())).json<{ storage_used: number }>().storage_used;

  it('bytes of transcripts count like those of files, and are free again after a deletion', async () => {
    const before = await used();
    const [id, variant] = await world.transcript();
    const one = (await used()) - before;
    expect(one).toBeGreaterThan(2 * 256);
    const copy = (await ask('POST', `transcripts/${id}/variants/`, { language: 'de', mode: 'copy' })).json();
    expect(await used()).toBe(before + 2 * one);
    await ask('DELETE', `transcripts/${id}/variants/${String(copy['id'])}/`);
    expect(await used()).toBe(before + one);
    await ask('PATCH', own(), { storage_bytes: before + one + 100 });
    try {
      const change = { after: null, text: 'Good night.', time_start: 0, time_end: 1 };
      const refused = await ask('POST', `transcripts/${id}/variants/${variant}/versions/`, { changes: [change] });
      expect([...codeOf(refused), refused.json()['detail']]).toEqual([
        507,
        'storage_full',
        `The files and transcripts of this workspace may have ${before + one + 100} bytes together; 100 are left.`,
      ]);
      await expect(world.picture()).rejects.toThrow('answered 507');
    } finally {
      await ask('PATCH', own(), { storage_bytes: null });
    }
    await ask('DELETE', `transcripts/${id}/`);
    expect(await used()).toBe(before);
    const [other] = await world.transcript();
    const { jobId } = await world.gateway.db.manager.findOneByOrFail(TranscriptEntity, { id: other });
    await ask('DELETE', `jobs/${jobId}/`);
    expect(await used()).toBe(before);
  });
});

describe('the rights on transcripts', () => {
  const routes = [TranscriptsController, ExportsController].flatMap((controller) => routesOf(controller));
  const nobody = '00000000-0000-4000-8000-000000000000';
  const addressOf = (path: string): string => path.slice('/v1/'.length).replace(/:\w+/g, nobody);

  it('tokens reach each of these by the one scope that it needs, and nothing else', async () => {
    const tokens = new Map<string, string>();
    for (const scope of ['transcript.read', 'transcript.write', 'export.read', 'export.write']) {
      const key = (await ask('POST', 'access-keys/', { name: scope, type: 'jwt', scopes: [scope] })).json<
        Record<'key' | 'secret', string>
      >();
      const jwt = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(key.secret));
      tokens.set(scope, `Bearer ${key.key}.${jwt}`);
    }
    for (const route of routes) {
      const needed = scopeOf(route)!;
      expect([route.path, needed]).toEqual([
        route.path,
        `${route.path.split('/')[2]!.slice(0, -1)}.${route.method === 'GET' ? 'read' : 'write'}`,
      ]);
      for (const [scope, authorization] of tokens) {
        const { status } = await ask(route.method, addressOf(route.path), {}, { authorization });
        expect([route.method, route.path, scope, status === 403]).toEqual([
          route.method,
          route.path,
          scope,
          scope !== needed,
        ]);
      }
    }
    for (const url of ['jobs/', 'storage/', 'webhooks/', 'access-keys/']) {
      for (const authorization of tokens.values())
        expect((await ask('GET', url, undefined, { authorization })).status).toBe(403);
    }
  });

  it('another workspace finds none of it', async () => {
    const other = (await ask('POST', 'workspaces/', { name: 'another' })).json<{ key: string }>();
    const headers = { authorization: `Key ${other.key}` };
    const [id, variant] = await world.transcript();
    const [paragraph] = await pageOf(`transcripts/${id}/variants/${variant}/versions/1`);
    const names: Record<string, string> = {
      transcriptId: id,
      variantId: variant,
      version: '1',
      paragraphId: paragraph!.id,
    };
    const bodies: Record<string, object> = { PUT: { text: 'x' }, POST: { language: 'de', mode: 'copy' } };
    for (const { method, path } of routesOf(TranscriptsController).filter((route) => route.path.includes(':'))) {
      const url = path.slice('/v1/'.length).replace(/:(\w+)/g, (_, name: string) => names[name]!);
      const body = path.endsWith('/versions/') ? {} : (bodies[method] ?? {});
      const answer = await ask(method, `${url}${url.endsWith('diff/') ? '?from=1' : ''}`, body, headers);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    const config = { transcript_id: id, variant_id: variant, format: 'srt' };
    expect(codeOf(await ask('POST', 'exports/', { strategy: 'transcript_export', config }, headers))).toEqual([
      400,
      'unknown_transcript',
    ]);
  });
});
