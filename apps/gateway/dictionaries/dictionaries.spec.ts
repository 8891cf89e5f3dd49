/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dictionary, DictionaryPage, Problem } from '@adit/contracts';
import { ApiKeyEntity, DictionaryVersionEntity, JobModuleEntity, WorkspaceEntity } from '@adit/database';
import { DictionaryStore, languageSample, type DistantDictionary } from '@adit/dictionaries';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashApiKey } from '../auth/api-key.js';
import { startGateway, type TestGateway } from '../testing/gateway.js';
import { Dictionaries } from './dictionaries.js';
import { languageOf } from './language-detection.js';
import { LanguageThread } from './language-thread.js';
import { MAX_CONCURRENCY } from './dictionaries.controller.js';

let gateway: TestGateway;
let base: string;

beforeAll(async () => {
  gateway = await startGateway({ maxDictionaryBytes: 65_536 });
  await gateway.app.listen(0, '127.0.0.1');
  base = `${await gateway.app.getUrl()}/api/v1/`;
});
afterAll(() => gateway?.close());

interface Sent {
  text?: string | Buffer;
  type?: string;
  filename?: string;
  fields?: Record<string, string>;
  method?: string;
  path?: string;
  key?: string;
}

async function send({ text, type = 'text/plain', filename = 'list.txt', fields = {}, ...to }: Sent) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (text !== undefined) form.append('file', new Blob([new Uint8Array(Buffer.from(text))], { type }), filename);
  const { method = 'POST', path = 'dictionaries/', key = gateway.key } = to;
  const reply = await fetch(`${base}${path}`, { method, body: form, headers: { authorization: `Key ${key}` } });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

async function uploaded(sent: Sent): Promise<Dictionary> {
  const { status, body } = await send(sent);
  expect([status, body['detail']]).toEqual([200, undefined]);
  return Dictionary.parse(body);
}

const read = async (id: string): Promise<Dictionary> =>
  Dictionary.parse((await gateway.ask('GET', `/api/v1/dictionaries/${id}/`)).json());
const fileOf = async (id: string): Promise<string> =>
  (await gateway.ask('GET', `/api/v1/dictionaries/${id}/file/`)).text;

async function settled(id: string): Promise<string> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(20)) {
    const [{ detecting, language }] = await gateway.db.query(
      'SELECT detecting, language FROM dictionaries WHERE id = $1',
      [id],
    );
    if (!detecting) return language as string;
  }
  throw new Error('nobody looked');
}

async function refusal(reply: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await reply;
  const problem = Problem.parse(body);
  return [status, ...problem.errors.map(({ pointer, code }) => `${pointer} ${code}`)];
}

const post = (dictionaries: unknown[], module = 'face_recognition') =>
  gateway.ask('POST', '/api/v1/jobs/', {
    sources: ['https://example.org/a.jpg'],
    modules: { [module]: { dictionaries } },
  });

describe('a dictionary', () => {
  it('a dictionary is uploaded, listed, read and downloaded; its type follows from the file', async () => {
    const simple = await uploaded({ text: 'Hund\nKatze\n' });
    expect(simple).toMatchObject({ name: 'list.txt', type: 'simple', language: 'any', is_public: false });
    const map = await uploaded({
      text: 'source,target\ndog,Hund\n',
      type: 'text/csv',
      filename: 'map.csv',
      fields: { language: 'EN', name: 'Tiere' },
    });
    expect(map).toMatchObject({ name: 'Tiere', type: 'map', language: 'english' });
    expect(await read(map.id)).toEqual(map);
    expect(await fileOf(map.id)).toBe('source,target\ndog,Hund\n');
    const list = (await gateway.ask('GET', '/api/v1/dictionaries')).json<Dictionary[]>();
    expect(list.filter(({ is_public }) => !is_public)).toEqual([simple, map]);
    const page = DictionaryPage.parse((await gateway.ask('GET', '/api/v1/dictionaries/?limit=1&offset=1')).json());
    expect(page).toMatchObject({ total: list.length, offset: 1, limit: 1, data: [list[1]] });
    expect(page.next).toMatch(/offset=2/);
  });

  it('a dictionary is refused line by line', async () => {
    const csv = (text: string | Buffer) => refusal(send({ text, type: 'text/csv', filename: 'a.csv' }));
    expect(await csv('source;target\ndog;Hund\ncat;\n;x\n')).toEqual([
      400,
      '/file/lines/3 missing_value',
      '/file/lines/4 missing_value',
    ]);
    expect(await csv('dog,Hund\n')).toEqual([400, '/file/lines/1 missing_column']);
    expect(await csv(Buffer.from('source,target\nm\xfcller,x\n', 'latin1'))).toEqual([400, '/file/lines/2 not_utf8']);
    expect(await refusal(send({ text: '\n\n' }))).toEqual([400, '/file empty']);
    expect(await refusal(send({ text: 'x\n'.repeat(40_000) }))).toEqual([413]);
    expect(await refusal(send({ text: 'x', type: 'image/png' }))).toEqual([415]);
    expect(await refusal(send({}))).toEqual([400, '/file missing']);
    expect(await refusal(send({ text: 'x', fields: { language: 'klingon' } }))).toEqual([400, '/language custom']);
    expect(await refusal(send({ text: 'x', fields: { kind: 'map' } }))).toEqual([400, '/kind unknown_field']);
    const json = await gateway.ask('POST', '/api/v1/dictionaries/', { name: 'x' });
    expect(json.status).toBe(415);
    expect((await gateway.ask('GET', '/api/v1/dictionaries/')).text).not.toContain('a.csv');
  });

  it('a large dictionary is read in a thread, refused line by line, and its language is detected like any other', async () => {
    const lines = Array.from({ length: 2_000 }, (_, at) => `der Hund und die Katze ${at}`);
    const refused = refusal(send({ text: [...lines.slice(0, 1_000), 'a\u0007', ...lines.slice(1_000)].join('\n') }));
    expect(await refused).toEqual([400, '/file/lines/1001 control_character']);
    const { id } = await uploaded({ text: lines.join('\n'), fields: { language: 'auto' } });
    expect(await settled(id)).toBe('german');
    const job = (await post([{ id, mode: 'fuzzy' }])).json<{ id: string }>();
    const { dictionaries } = await gateway.db.manager.findOneByOrFail(JobModuleEntity, { jobId: job.id });
    const dictionary = (await gateway.app.get(DictionaryStore).read(dictionaries![0]!)) as DistantDictionary;
    expect(dictionary).not.toHaveProperty('entries');
    const how = { mode: 'fuzzy', threshold: 0.8 } as const;
    expect(await dictionary.find(how, ['der hund und die katse 1718', 'something else'])).toEqual([
      { source: 'der Hund und die Katze 1718', target: null },
      null,
    ]);
    await gateway.ask('POST', `/api/v1/jobs/${job.id}/stop/`);
  });

  it('dictionaries of a workspace are taken four at a time', async () => {
    const dictionaries = gateway.app.get(Dictionaries);
    const create = dictionaries.create.bind(dictionaries);
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let taken = 0;
    const all = new Promise<void>((resolve) => {
      dictionaries.create = async (...args) => {
        taken += 1;
        if (taken === MAX_CONCURRENCY) resolve();
        await gate;
        return create(...args);
      };
    });
    try {
      const first = Array.from({ length: MAX_CONCURRENCY }, () => send({ text: 'Hund' }));
      await all;
      expect((await send({ text: 'Hund' })).status).toBe(429);
      release();
      expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200));
      await uploaded({ text: 'Hund' });
    } finally {
      release();
      dictionaries.create = create;
    }
  });

  it('dictionaries of another workspace are out of reach', async () => {
    const { id } = await uploaded({ text: 'Hund' });
    const workspaceId = randomUUID();
    await gateway.db.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
    const key = 'another-workspace-key';
    await gateway.db.manager.insert(ApiKeyEntity, {
      id: randomUUID(),
      workspaceId,
      name: 'k',
      prefix: 'a',
      hash: hashApiKey(key),
      role: 'admin',
    });
    for (const method of ['PUT', 'PATCH']) {
      const sent = { method, path: `dictionaries/${id}/`, text: 'x', key, fields: { name: 'x' } };
      expect(await refusal(send(sent))).toEqual([404]);
    }
    const headers = { authorization: `Key ${key}` };
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await gateway.ask(method, `/api/v1/dictionaries/${id}/`, undefined, headers)).status).toBe(404);
    }
    const list = (await gateway.ask('GET', '/api/v1/dictionaries/', undefined, headers)).json<Dictionary[]>();
    expect(list.every(({ is_public }) => is_public)).toBe(true);
    expect((await gateway.ask('GET', '/api/v1/dictionaries/no-uuid/')).status).toBe(404);
  });
});

describe('changes of a dictionary', () => {
  it('PATCH merges, PUT replaces, a file makes a new version', async () => {
    const { id, ...first } = await uploaded({ text: 'Hund', fields: { language: 'german', name: 'Tiere' } });
    const path = `/api/v1/dictionaries/${id}/`;
    expect((await gateway.ask('PATCH', path, { name: 'Alle Tiere' })).json()).toEqual({
      id,
      ...first,
      name: 'Alle Tiere',
    });
    expect((await gateway.ask('PUT', path, { name: 'Dinge' })).json()).toEqual({
      id,
      ...first,
      name: 'Dinge',
      language: 'any',
    });
    const changed = await send({
      method: 'PATCH',
      path: `dictionaries/${id}/`,
      text: 'source,target\na,b',
      type: 'text/csv',
      filename: 'new.csv',
    });
    expect(changed.body).toMatchObject({ id, name: 'Dinge', type: 'map' });
    expect(await fileOf(id)).toBe('source,target\na,b');
    expect((await gateway.ask('PUT', path, { language: 'german' })).status).toBe(400);
    expect((await gateway.ask('PATCH', path, { kind: 'map' })).status).toBe(400);
    expect((await gateway.ask('PATCH', path, { name: 'x\u0000' })).status).toBe(400);
    expect(await refusal(send({ method: 'PATCH', path: `dictionaries/${id}/`, text: '' }))).toEqual([
      400,
      '/file empty',
    ]);
    expect(await fileOf(id)).toBe('source,target\na,b');
  });

  it('changes are refused for public dictionaries, which everybody can read', async () => {
    const list = (await gateway.ask('GET', '/api/v1/dictionaries/')).json<Dictionary[]>();
    const shipped = list.find(({ name }) => name === 'objects-french');
    expect(shipped).toMatchObject({ is_public: true, type: 'map', language: 'english' });
    const path = `/api/v1/dictionaries/${shipped!.id}/`;
    expect((await gateway.ask('PATCH', path, { name: 'mine' })).status).toBe(403);
    expect((await gateway.ask('PUT', path, { name: 'mine' })).status).toBe(403);
    expect((await gateway.ask('DELETE', path)).status).toBe(403);
    expect((await gateway.ask('DELETE', `/api/v1/datasets/${shipped!.id}/`)).status).toBe(403);
    expect(await fileOf(shipped!.id)).toContain('dog,chien');
    expect(await read(shipped!.id)).toEqual(shipped);
  });
});

describe('the language auto', () => {
  it('the language auto is any at first, then the detected one', async () => {
    const german = await uploaded({
      text: 'Hund\nKatze\nFahrrad\nStuhl\nSchlüssel\nMesser\nGabel\nLöffel\nFlugzeug\n',
      fields: { language: 'auto' },
    });
    expect(german.language).toBe('any');
    expect(await settled(german.id)).toBe('german');
    expect((await read(german.id)).language).toBe('german');
    const path = `/api/v1/dictionaries/${german.id}/`;
    expect((await gateway.ask('PATCH', path, { language: 'french' })).json()).toMatchObject({ language: 'french' });
    expect((await gateway.ask('PATCH', path, { language: 'auto' })).json()).toMatchObject({ language: 'any' });
    expect(await settled(german.id)).toBe('german');
  });

  it('the language stays any when it cannot be detected', async () => {
    const { id } = await uploaded({ text: '123\n456\n', fields: { language: 'auto' } });
    expect(await settled(id)).toBe('any');
  });

  it.each([
    ['french', ['chien', 'chat', 'vélo', 'chaise', 'avion', 'clé', 'couteau', 'fourchette', 'cuillère']],
    ['english', ['person', 'bicycle', 'motorcycle', 'airplane', 'traffic light', 'truck', 'boat']],
    ['italian', ['cane', 'gatto', 'bicicletta', 'sedia', 'tavolo', 'aereo', 'coltello', 'forchetta']],
    ['polish', ['pies', 'kot', 'rower', 'krzesło', 'samolot', 'nóż', 'widelec', 'łyżka']],
    [null, ['Angela Merkel', 'Barack Obama', 'Penélope Cruz', 'Jackie Chan', 'Marie Curie']],
  ])('the language is %s for %j', async (language, words) => {
    expect(await languageOf(languageSample(words.map((source) => ({ source, target: null }))))).toBe(language);
  });

  /** @hardening overload: Long work holds the event loop */
  it('languages are detected by one thread at low priority, and the process goes on meanwhile', async () => {
    const thread = new LanguageThread();
    const others = threadsBehind();
    const text = 'Hund. Katze. Fahrrad. Stuhl. Schlüssel. Messer. Gabel. Löffel. Flugzeug. ';
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const detected = await Promise.all([1, 2, 3].map(() => thread.detect(text)));
    over = true;
    expect(detected).toEqual(Array(3).fill({ language: 'de', isReliable: true }));
    // The detector's tables are loaded in another thread.
    expect(turns).toBeGreaterThan(100);
    const own = threadsBehind().filter((id) => !others.includes(id));
    // Only Linux has priorities of threads.
    expect(own).toHaveLength(process.platform === 'linux' ? 1 : 0);
    await thread.detect(text);
    expect(threadsBehind()).toEqual(expect.arrayContaining(own));
    expect(threadsBehind().length).toBeLessThanOrEqual(others.length + own.length);
  });
});

/** Threads of this process that run behind it. */
function threadsBehind(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/task').filter((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    // Behind the name in brackets; niceness is field 19 of the whole line.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]) > getPriority();
  });
}

describe('a job', () => {
  /** @hardening api: An error does not say what would be right */
  it('names dictionaries that exist, or is told which do not', async () => {
    const { id } = await uploaded({ text: 'Hund' });
    const unknown = randomUUID();
    const { status, json } = await post([{ id }, { id: unknown }, { id: 'x' }]);
    expect(status).toBe(400);
    expect(json()).toMatchObject({
      detail: [
        `face_recognition.dictionaries.1.id: There is no dictionary "${unknown}"`,
        'GET /api/v1/dictionaries/ lists those that this workspace may use. face_recognition.dictionaries.2.id: There is no dictionary "x"',
        'GET /api/v1/dictionaries/ lists those that this workspace may use.',
      ].join('; '),
    });
    expect(Problem.parse(json()).errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/modules/face_recognition/dictionaries/1/id unknown_dictionary',
      '/modules/face_recognition/dictionaries/2/id unknown_dictionary',
    ]);
    expect((await post([{ id, mode: 'nearly' }])).status).toBe(400);
    expect((await post([{ id, threshold: 1.5 }])).status).toBe(400);
  });

  it('keeps the version it was posted with, which cannot be removed meanwhile', async () => {
    const { id } = await uploaded({ text: 'Hund\n', fields: { name: 'Tiere' } });
    const job = (await post([{ id, mode: 'fuzzy' }])).json<{ id: string; modules: Record<string, object> }>();
    expect(job.modules['face_recognition']).toMatchObject({ dictionaries: [{ id, mode: 'fuzzy', threshold: 0.8 }] });
    await send({ method: 'PATCH', path: `dictionaries/${id}/`, text: 'Katze\n', fields: { language: 'german' } });
    const { dictionaries } = await gateway.db.manager.findOneByOrFail(JobModuleEntity, { jobId: job.id });
    expect(dictionaries).toMatchObject([{ id, version: 1, name: 'Tiere', language: 'any' }]);
    const store = gateway.app.get(DictionaryStore);
    expect(await store.read(dictionaries![0]!)).toMatchObject({ entries: [{ source: 'Hund', target: null }] });

    const late = new Date(Date.now() + 2 * 3_600_000);
    const versions = () => gateway.db.manager.countBy(DictionaryVersionEntity, { dictionaryId: id });
    const refused = await gateway.ask('DELETE', `/api/v1/dictionaries/${id}/`);
    expect([refused.status, refused.text.includes(job.id)]).toEqual([409, true]);
    await store.sweep(late);
    expect(await versions()).toBe(2);

    await gateway.ask('POST', `/api/v1/jobs/${job.id}/stop/`);
    expect((await gateway.ask('DELETE', `/api/v1/datasets/${id}/`)).json()).toEqual({
      message: 'The dictionary Tiere was deleted.',
    });
    expect((await gateway.ask('GET', `/api/v1/dictionaries/${id}/`)).status).toBe(404);
    await store.sweep(late);
    expect(await versions()).toBe(1);
    expect((await gateway.ask('POST', `/api/v1/jobs/${job.id}/retry/`)).status).toBe(200);

    await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`);
    await store.sweep(late);
    expect(await versions()).toBe(0);
    const gone = await gateway.ask('DELETE', `/api/v1/datasets/${id}/`);
    expect(gone.status).toBe(404);
    expect((await gateway.ask('DELETE', `/api/v1/dictionaries/${id}/`)).status).toBe(404);
  });

  it('without dictionaries asks nothing about them', async () => {
    const queries: string[] = [];
    const { manager } = gateway.db;
    const find = manager.find.bind(manager);
    manager.find = ((entity: { name: string }, ...rest: never[]) => {
      queries.push(entity.name);
      return find(entity as never, ...rest);
    }) as typeof manager.find;
    const job = (await post([])).json<{ id: string }>();
    manager.find = find;
    expect(queries.filter((name) => name.startsWith('Dictionary'))).toEqual([]);
    expect((await manager.findOneByOrFail(JobModuleEntity, { jobId: job.id })).dictionaries).toBeNull();
  });
});
