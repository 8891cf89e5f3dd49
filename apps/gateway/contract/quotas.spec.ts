/** @needs weights, build */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DatasetImportEntity } from '@adit/database';
import { makeFolders } from '@adit/storage';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../testing/gateway.js';
import { multipart } from './multipart.js';
import { World } from './world.js';

const CONCURRENCY = 8;

/** @hardening overload: Bodies never end, credentials are guessed, a quota is passed */
describe('quotas of a workspace', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({
      ...{ maxDatasets: 7, maxClasses: 3, maxDatasetImages: 2, maxIndexCollections: 3 },
      ...{ maxDictionaries: 3, maxOpenTrainings: 3, maxModels: 2, maxTranscripts: 3 },
      maxTranscriptBytes: 2_000,
    });
  }, 600_000);
  afterAll(() => world?.close());

  const made = async (url: string, body: unknown): Promise<string> => {
    const answer = await world.ask('POST', `/api/v1${url}`, body);
    expect(answer.text).toContain('"id"');
    return answer.json<{ id: string }>().id;
  };
  /** Sends the same request several times at once. Returns the number of successes and the distinct refusals. */
  async function atOnce(post: (at: number) => Promise<Answer>): Promise<{ made: number; refusals: unknown[] }> {
    const answers = await Promise.all(Array.from({ length: CONCURRENCY }, (_, at) => post(at)));
    const refused = answers.filter(({ status }) => status !== 200);
    const said = refused.map((each) => {
      const { code, detail, errors } = each.json<{ code: string; detail: string; errors: { code: string }[] }>();
      return JSON.stringify([each.status, code, errors.map((error) => error.code), detail]);
    });
    return {
      made: CONCURRENCY - refused.length,
      refusals: [...new Set(said)].map((text) => JSON.parse(text) as unknown),
    };
  }
  const full = (detail: string): unknown[] => [[409, 'CONFLICT', ['too_many'], detail]];

  it('index collections have a quota', async () => {
    await world.ask('GET', '/api/v1/index-collection/');
    const posted = await atOnce((at) => world.ask('POST', '/api/v1/index-collection/', { name: `c${at}` }));
    expect(posted).toEqual({ made: 2, refusals: full('A workspace has at most 3 index collections; delete one.') });
    const [{ name }] = (await world.ask('GET', '/api/v1/index-collection/')).json<{ name: string }[]>().slice(-1) as [
      { name: string },
    ];
    expect((await world.ask('DELETE', `/api/v1/index-collection/${name}/`)).status).toBe(200);
    expect((await world.ask('POST', '/api/v1/index-collection/', { name: 'again' })).status).toBe(200);
  });

  it('classes and images of a dataset have a quota', async () => {
    const id = await made('/datasets/', { name: 'Newsroom', type: 'face' });
    const classes = `/api/v1/datasets/${id}/classes/`;
    expect(await atOnce((at) => world.ask('POST', classes, { label: `Class ${at}` }))).toEqual({
      made: 3,
      refusals: full('A dataset has at most 3 classes; delete some, or make another dataset.'),
    });
    const ids = (await world.ask('GET', classes)).json<{ id: string }[]>().map((each) => each.id);
    const bytes = await readFile(sampleMedia().faces['audrey'] as string);
    const form = multipart({ file: { filename: 'a.jpg', contentType: 'image/jpeg', bytes } });
    const posted = await atOnce((at) =>
      world.ask('POST', `${classes}${ids[at % 3] ?? ''}/images/`, form.payload, form.headers),
    );
    expect(posted).toEqual({
      made: 2,
      refusals: full('A dataset has at most 2 images; delete some, or make another dataset.'),
    });
    // Uploads for the refused requests are gone.
    const [left] = await world.gateway.db.query(
      'SELECT count(*)::int AS count FROM storage_entries WHERE NOT is_folder',
    );
    expect(left).toEqual({ count: 2 });
  });

  it('unfinished imports of a dataset have a quota', async () => {
    const id = await made('/datasets/', { name: 'Imports', type: 'face' });
    const { workspaceId } = world.gateway;
    await world.gateway.db.manager.insert(
      DatasetImportEntity,
      Array.from({ length: 17 }, () => ({ id: randomUUID(), workspaceId, datasetId: id, folder: '/none' })),
    );
    const folder = '/people';
    await world.gateway.db.transaction((manager) => makeFolders(manager, workspaceId, folder));
    const posted = await atOnce(() => world.ask('POST', `/api/v1/datasets/${id}/imports/`, { folder }));
    expect(posted).toEqual({
      made: 3,
      refusals: full('20 imports of this dataset have not ended; wait for one of them.'),
    });
  });

  it('unfinished trainings have a quota, and models, including those that are being trained', async () => {
    const source = await made('/datasets/', { name: 'Trained', type: 'face' });
    const train = (name: string): Promise<Answer> =>
      world.ask('POST', '/api/v1/trainings/', { source_dataset_id: source, output_model_name: name });
    expect(await atOnce((at) => train(`model-${at}`))).toEqual({
      made: 2,
      refusals: full('A workspace has at most 2 models of its own; delete one, or add a version to one that is there.'),
    });
    const [{ model_name: known }] = await world.gateway.db.query('SELECT model_name FROM trainings LIMIT 1');
    expect(await atOnce(() => train(known))).toEqual({
      made: 1,
      refusals: full('3 trainings of this workspace have not ended; wait for one of them, or delete it.'),
    });
  });

  it('dictionaries have a quota, checked before the file is read', async () => {
    const post = (bytes: Buffer): Promise<Answer> => {
      const { payload, headers } = multipart({ file: { filename: 'a.txt', contentType: 'text/plain', bytes } });
      return world.ask('POST', '/api/v1/dictionaries/', payload, headers);
    };
    let count = 0;
    for (; (await post(Buffer.from('Ada\n'))).status === 200; count += 1);
    expect(count).toBe(3);
    const refused = await post(Buffer.from([0xff, 0xfe, 0xff]));
    expect([refused.status, refused.json().detail]).toEqual([
      409,
      'A workspace has at most 3 dictionaries; delete one.',
    ]);
  });

  it('transcripts have a quota', async () => {
    const job_id = await world.transcribedJob();
    expect(await atOnce(() => world.ask('POST', '/api/v1/transcripts/', { job_id }))).toEqual({
      made: 3,
      refusals: full('A workspace has at most 3 transcripts; delete one.'),
    });
    const { data } = (await world.ask('GET', '/api/v1/transcripts/')).json<{ data: { id: string }[] }>();
    expect((await world.ask('DELETE', `/api/v1/transcripts/${data[0]!.id}/`)).status).toBe(200);
    expect((await world.ask('POST', '/api/v1/transcripts/', { job_id })).status).toBe(200);
  });

  it('variants of a transcript have a quota', async () => {
    const { data } = (await world.ask('GET', '/api/v1/transcripts/')).json<{ data: { id: string }[] }>();
    const id = data[1]!.id;
    const variants = `/api/v1/transcripts/${id}/variants/`;
    await world.gateway.db.query(
      `INSERT INTO transcript_variants (id, transcript_id, job_id, name, latest_version, last_number)
       SELECT gen_random_uuid(), id, job_id, 'copy', 1, 1 FROM transcripts, generate_series(1, 97) WHERE id = $1`,
      [id],
    );
    const copy = (): Promise<Answer> => world.ask('POST', variants, { language: 'de', mode: 'copy' });
    expect(await atOnce(copy)).toEqual({
      made: 2,
      refusals: full('A transcript has at most 100 variants; delete one.'),
    });
    const last = (await world.ask('GET', `${variants}?offset=99`)).json<{ data: { id: string }[] }>().data[0]!;
    expect((await world.ask('DELETE', `${variants}${last.id}/`)).status).toBe(200);
    expect((await copy()).status).toBe(200);
  });

  it('bytes of a variant of a transcript have a quota', async () => {
    const { data } = (await world.ask('GET', '/api/v1/transcripts/')).json<{ data: { id: string }[] }>();
    const variants = `/api/v1/transcripts/${data[0]!.id}/variants/`;
    const [variant] = (await world.ask('GET', variants)).json<{ data: { id: string }[] }>().data;
    const versions = `${variants}${variant!.id}/versions/`;
    const change = { after: null, text: '', time_start: 0, time_end: 1 };
    const posted = await atOnce(() => world.ask('POST', versions, { changes: [change, change] }));
    expect(posted).toEqual({
      made: 2,
      refusals: full(
        'A variant of a transcript holds at most 2000 bytes in all its versions; delete older versions, or make a new variant.',
      ),
    });
    expect((await world.ask('DELETE', `${versions}3/`)).status).toBe(200);
    expect((await world.ask('POST', versions, { changes: [change, change] })).status).toBe(200);
    const job_id = await world.transcribedJob(['Good evening. '.repeat(100)]);
    await world.ask('DELETE', `/api/v1/transcripts/${data[0]!.id}/`);
    const refused = await world.ask('POST', '/api/v1/transcripts/', { job_id });
    expect([refused.status, refused.json<{ errors: { code: string }[] }>().errors[0]?.code]).toEqual([409, 'too_many']);
  });

  it('datasets have a quota', async () => {
    const { total } = (await world.ask('GET', '/api/v1/datasets/')).json<{ total: number }>();
    expect(await atOnce((at) => world.ask('POST', '/api/v1/datasets/', { name: `d${at}`, type: 'face' }))).toEqual({
      made: 7 - total,
      refusals: full('A workspace has at most 7 datasets; delete one.'),
    });
  });

  it('exports and reports under way have a quota', async () => {
    const { db, workspaceId } = world.gateway;
    const exported = await world.export();
    await db.query(
      `INSERT INTO exports (id, workspace_id, strategy, config, job_id)
       SELECT gen_random_uuid(), workspace_id, strategy, config, job_id FROM exports, generate_series(1, 97) WHERE id = $1`,
      [exported],
    );
    const [{ config }] = await db.query('SELECT config FROM exports WHERE id = $1', [exported]);
    const strategy = 'job_results_export';
    expect(await atOnce(() => world.ask('POST', '/api/v1/exports/', { strategy, config }))).toEqual({
      made: 2,
      refusals: full('100 exports of this workspace have not ended; wait for one of them.'),
    });
    const report = await world.report();
    await db.query(
      `INSERT INTO reports (id, workspace_id, batch_id, title)
       SELECT gen_random_uuid(), $2, batch_id, title FROM reports, generate_series(1, 97) WHERE id = $1`,
      [report, workspaceId],
    );
    const [{ batch_id: batchId }] = await db.query('SELECT batch_id FROM reports WHERE id = $1', [report]);
    expect((await atOnce(() => world.ask('POST', `/api/v1/batches/${batchId}/report/`))).made).toBe(2);
  });
});
