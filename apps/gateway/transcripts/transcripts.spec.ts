/** @needs weights, build */
import { JobEntity, JobSourceEntity, TranscriptEntity } from '@adit/database';
import { TranscriptErasures } from '@adit/transcript-store';
import { describe, expect, it } from '@jest/globals';
import {
  useTranscriptWorld,
  type Paragraph,
  world,
  events,
  ask,
  at,
  pageOf,
  codeOf,
} from './testing/transcript-world.js';

useTranscriptWorld();

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
