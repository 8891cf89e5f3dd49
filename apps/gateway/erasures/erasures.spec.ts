/** @needs ffmpeg, weights */
import { randomUUID } from 'node:crypto';
import {
  ArtifactEntity,
  AuditEntryEntity,
  columns,
  DatasetImageEntity,
  ExportEntity,
  inTransaction,
  JobEntity,
  JobSourceEntity,
  MediaEntity,
  ObservationEntity,
  SegmentEntity,
} from '@adit/database';
import {
  changeImage,
  deleteClass,
  deleteDataset,
  eraseImage,
  insertClasses,
  insertImages,
  lockClasses,
  moveImage,
  removeImage,
} from '@adit/datasets';
import { EXPORTS, isWanted, JOB_ENDINGS, type LeasedTable } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';
import { Erasures } from './erasures.js';

describe('erasures', () => {
  let world: World;
  let objects: ObjectStore;
  beforeAll(async () => {
    world = await World.start();
    objects = world.gateway.app.get<ObjectStore>(OBJECT_STORE);
  }, 600_000);
  afterAll(() => world?.close());

  const there = async (key: string): Promise<boolean> =>
    objects.read(key).then(
      () => true,
      () => false,
    );

  /** A job that shows somebody of an index, with everything that is kept of them. */
  async function seen() {
    const { manager } = world.gateway.db;
    const { workspaceId } = world.gateway;
    const [collection, indexId] = await world.identity();
    const { jobId } = await world.minedJob();
    const keys = ['thumbnail', 'key-frame'].map((name) => `jobs/${jobId}/pictures/${name}.jpg`) as [string, string];
    const digest = randomUUID();
    const folder = `media/${workspaceId}/${digest}/f/image/a/l/`;
    // A version on trial differed in it, while an earlier look was the one that is remembered.
    const tried = `media/${workspaceId}/${digest}/f/image/a/earlier/canary-1.jpg`;
    const observed = [`${folder}observations.json`, `${folder}face.jpg`, tried];
    for (const key of [...keys, ...observed]) await objects.put(key, Buffer.from(key));
    const picture = (key: string) => ({ key, width: 8, height: 8 });
    const shown = { thumbnail: picture(keys[0]), keyFrame: { frame: 0, picture: picture(keys[1]) } };
    await manager.update(SegmentEntity, { jobId }, columns<SegmentEntity>({ ...shown, indexId, label: 'unknown' }));
    // A caption with the same face, which it teaches a dataset.
    const teaches = { label: 'Ada', picture: picture(keys[0]), filed: true };
    const caption = { seq: 1, module_seq: 1, index_id: null, thumbnail: null, teaches };
    await manager.query(
      `INSERT INTO segments SELECT (jsonb_populate_record(s, $2)).* FROM segments s WHERE job_id = $1`,
      [jobId, JSON.stringify(caption)],
    );
    await manager.update(JobSourceEntity, { jobId, index: 0 }, { mediaDigest: digest });
    const facts = { kind: 'image', format: 'jpeg', width: 8, height: 8 } as const;
    const media = { workspaceId, digest, facts, grid: null, indexKey: null, generation: 'f' };
    await manager.insert(MediaEntity, { ...media, timeExpires: new Date(Date.now() + 3_600_000) });
    await manager.insert(ObservationEntity, {
      ...{ workspaceId, mediaDigest: digest, interval: 'image', analysisDigest: 'a', objectKey: observed[0] as string },
      timeExpires: new Date(Date.now() + 3_600_000),
    });
    await manager.query(
      `INSERT INTO canary_pictures (id, canary_id, workspace_id, job_id, object_key, frame, time, difference, stable, candidate)
       VALUES (gen_random_uuid(), gen_random_uuid(), $1, $2, $3, 0, 0, 1, '[]', '[]')`,
      [workspaceId, jobId, tried],
    );
    const artifact = await manager.findOneByOrFail(ArtifactEntity, { jobId });
    const other = { index_id: '1000000000' };
    for (const [event, ended, data] of [
      // Each sums up who was seen.
      ['job.on_completed', 'now()', { job: {} }],
      ['job.on_detailed_result', 'now()', { detailed_result: { meta: { indexed_identity: other } } }],
      ['job.on_detailed_result', 'NULL', { detailed_result: { meta: { indexed_identity: { index_id: indexId } } } }],
      ['job.on_detailed_result', 'NULL', { detailed_result: { meta: { indexed_identity: other, left: true } } }],
    ] as const) {
      await manager.query(
        `INSERT INTO webhook_deliveries (id, subscription, fact, kind, signer, job_id, url, receiver, event, timestamp, data, due_at, time_ended)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'workspace', $2, $3, 'https://a', 'https://a', $4, 0, $5, now(), ${ended})`,
        [`job:${jobId}`, workspaceId, jobId, event, JSON.stringify(data)],
      );
    }
    return { collection, indexId, jobId, objects: [...keys, ...observed, artifact.objectKey] };
  }

  const COUNTS = {
    ...{ identities: 1, embeddings: 1, segments: 1, pictures: 2, observations: 1, artifacts: 1 },
    webhook_deliveries: 3,
  };

  it('erasures take a person out of everything, and leave a receipt', async () => {
    const person = await seen();
    for (const key of person.objects) expect([key, await there(key)]).toEqual([key, true]);
    const answer = await world.ask('POST', '/api/v1/erasures/', { index_id: person.indexId });
    const receipt = answer.json<{ id: string }>();
    expect([answer.status, receipt]).toMatchObject([
      200,
      { state: 'completed', subject: { index_id: person.indexId, collection_name: person.collection }, counts: COUNTS },
    ]);
    for (const key of person.objects) expect([key, await there(key)]).toEqual([key, false]);
    const { manager } = world.gateway.db;
    // Messages that show other people and were not sent yet are kept.
    const left: { data: string }[] = await manager.query('SELECT data FROM webhook_deliveries WHERE job_id = $1', [
      person.jobId,
    ]);
    expect(left).toEqual([{ data: expect.stringContaining('left') }]);
    const segments = await manager.findBy(SegmentEntity, { jobId: person.jobId });
    expect(
      segments.map(({ indexId, thumbnail, keyFrame, teaches }) => [indexId, thumbnail, keyFrame, teaches]),
    ).toEqual([
      [null, null, null, null],
      [null, null, null, null],
    ]);
    expect((await world.ask('GET', `/api/v1/erasures/${receipt.id}/`)).json()).toEqual(receipt);
    expect((await world.ask('GET', '/api/v1/erasures/?limit=1')).json()).toMatchObject({ data: [{ id: receipt.id }] });
    const audit = `/api/v1/audit-log/?resource=erasures&resource_id=${receipt.id}&limit=10`;
    const lines = (await world.ask('GET', audit)).json<{ data: { action: string; fields: string[] }[] }>().data;
    const erased = lines.find(({ action }) => action === 'erased');
    expect(erased?.fields).toEqual(expect.arrayContaining([`index_id: ${person.indexId}`, 'segments: 1']));
    expect((await world.ask('POST', '/api/v1/erasures/', { index_id: person.indexId })).status).toBe(404);
  });

  it('erasures end the same way, wherever the process dies in between', async () => {
    const { db, workspaceId } = world.gateway;
    const asker = { workspaceId, actorKind: 'api-key', actorId: 'k', actorName: 'spec', requestId: 'r' } as const;
    for (let cut = 0; cut <= 4; cut += 1) {
      const person = await seen();
      const first = new Erasures(db, objects);
      const id = await first.begin({ index_id: person.indexId }, asker);
      for (let step = 0; step < cut; step += 1) await first.step(id);
      // Two that find it at the same time.
      await Promise.all([new Erasures(db, objects).finish(), new Erasures(db, objects).finish()]);
      const receipt = (await world.ask('GET', `/api/v1/erasures/${id}/`)).json();
      expect([cut, receipt]).toMatchObject([cut, { state: 'completed', counts: COUNTS }]);
      for (const key of person.objects) expect([cut, key, await there(key)]).toEqual([cut, key, false]);
      expect(await db.manager.countBy(AuditEntryEntity, { resourceId: id, action: 'erased' })).toBe(1);
    }
  });

  /** @hardening privacy: A file that is being written outlives an erasure */
  it('files that are being written as a person goes begin anew', async () => {
    const { db, workspaceId } = world.gateway;
    const { jobId, indexId } = await seen();
    // Both are in their first attempt.
    const running = `'processing', 1, now() + interval '45 s'`;
    const begin = (table: string, columns: string, values: string): Promise<{ id: string }[]> =>
      db.query(
        `INSERT INTO ${table} (id, workspace_id, job_id, state, attempts, lease_until${columns})
         VALUES (gen_random_uuid(), $1, $2, ${running}${values}) RETURNING id`,
        [workspaceId, jobId],
      );
    const exported = await begin('exports', ', fencing_token, strategy, config', `, 1, 'job_results_export', '{}'`);
    const ending = await begin('job_endings', '', '');
    const search = `INSERT INTO exports (id, workspace_id, state, attempts, fencing_token, lease_until, strategy, config, found_in)
      VALUES (gen_random_uuid(), $1, 'processing', 1, 1, now() + interval '45 s', 'segments_export', '{"search": {}}', $2) RETURNING id`;
    const found: { id: string }[] = await db.query(search, [workspaceId, [randomUUID(), jobId]]);
    // It may be about to find the job.
    const searching: { id: string }[] = await db.query(search, [workspaceId, null]);
    const elsewhere: { id: string }[] = await db.query(search, [workspaceId, [randomUUID()]]);
    const isWriting = ([key]: { id: string }[], rows: LeasedTable, token: number) =>
      inTransaction(db, (manager) => isWanted(manager, { rows, key: { id: key?.id ?? '' }, attempt: 1, token }));
    const held = async () => [
      ...[await isWriting(exported, EXPORTS, 1), await isWriting(ending, JOB_ENDINGS, 0)],
      ...[await isWriting(found, EXPORTS, 1), await isWriting(searching, EXPORTS, 1)],
    ];
    expect(await held()).toEqual([true, true, true, true]);
    await world.ask('POST', '/api/v1/erasures/', { index_id: indexId });
    expect(await held()).toEqual([false, false, false, false]);
    expect(await isWriting(elsewhere, EXPORTS, 1)).toBe(true);
    // Nobody waits for the leases of those who have lost them, and no attempt is blamed for it.
    const free = (table: string) =>
      db.query(`SELECT state, attempts, lease_until <= now() AS free FROM ${table} WHERE job_id = $1`, [jobId]);
    expect(await free('exports')).toEqual([{ state: 'processing', attempts: 1, free: true }]);
    expect(await free('job_endings')).toEqual([{ state: 'processing', attempts: 0, free: true }]);
  });

  it('erasures begin with the deletion of an identity', async () => {
    const person = await seen();
    const path = `/api/v1/index-collection/${encodeURIComponent(person.collection)}/identities/${person.indexId}/`;
    const answer = await world.ask('DELETE', path);
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { message: expect.stringContaining(person.indexId), state: 'completed', counts: COUNTS },
    ]);
    expect((await world.ask('DELETE', path)).status).toBe(404);
  });

  it('erasures take a class with its images, when its dataset has removed them', async () => {
    const [datasetId, classId] = (await world.datasetClass()) as [string, string];
    // It holds the images of all classes.
    const { exportId, artifactId } = await world.exported();
    const { manager } = world.gateway.db;
    await manager.update(ExportEntity, { id: exportId }, { jobId: null, datasetId });
    const { objectKey } = await manager.findOneByOrFail(ArtifactEntity, { id: artifactId });
    const answer = await world.ask('POST', '/api/v1/erasures/', { dataset_id: datasetId, class_id: classId });
    const { id } = answer.json<{ id: string }>();
    expect([answer.status, answer.json()]).toMatchObject([200, { state: 'processing', counts: { classes: 1 } }]);
    expect((await world.ask('GET', `/api/v1/datasets/${datasetId}/classes/${classId}/`)).status).toBe(404);
    // Removes the rows, like the dataset's own steps.
    await world.gateway.db.query('DELETE FROM dataset_erasures WHERE id = $1', [classId]);
    await new Erasures(world.gateway.db, objects).finish();
    expect((await world.ask('GET', `/api/v1/erasures/${id}/`)).json()).toMatchObject({
      ...{ state: 'completed', counts: { artifacts: 1 } },
    });
    expect([await there(objectKey), await manager.existsBy(ArtifactEntity, { id: artifactId })]).toEqual([
      false,
      false,
    ]);
  });

  it('erasures forget the observations of a file', async () => {
    const person = await seen();
    const { manager } = world.gateway.db;
    const uri = `storage://${randomUUID()}`;
    await manager.update(JobSourceEntity, { jobId: person.jobId, index: 0 }, { uri });
    await manager.update(JobEntity, { id: person.jobId }, { state: 'completed', timeCompleted: new Date() });
    const answer = await world.ask('POST', '/api/v1/erasures/', { file_uri: uri });
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { state: 'completed', counts: { segments: 2, pictures: 3, observations: 1, artifacts: 1, dataset_images: 0 } },
    ]);
    for (const key of person.objects) expect([key, await there(key)]).toEqual([key, false]);
    expect(await manager.countBy(SegmentEntity, { jobId: person.jobId })).toBe(0);
  });

  /** A message about a job that was not sent yet. Returns its id. */
  async function pending(jobId: string, data: unknown): Promise<string> {
    const id = randomUUID();
    await world.gateway.db.query(
      `INSERT INTO webhook_deliveries (id, subscription, fact, kind, signer, job_id, url, receiver, event, timestamp, data, due_at)
       VALUES ($1, $2, gen_random_uuid(), 'workspace', $3, $4, 'https://a', 'https://a', 'job.on_completed', 0, $5, now())`,
      [id, `job:${jobId}`, world.gateway.workspaceId, jobId, JSON.stringify(data)],
    );
    return id;
  }

  it('erasures take the name out of unsent messages about a job', async () => {
    const { db } = world.gateway;
    const person = await seen();
    const label = { index_id: person.indexId, label: 'Anna Weber' };
    await world.ask('PUT', `/api/v1/index-collection/${person.collection}/identities/`, label);
    const summary = (items: unknown[]) => [{ source: 'storage://a', media_type: 'image', info: {}, items }];
    const item = { type: 'face', label: 'unknown', module: 'face_recognition' };
    const stored = summary([{ ...item, index_id: person.indexId }]);
    await db.query('UPDATE jobs SET summary = $2 WHERE id = $1', [person.jobId, JSON.stringify(stored)]);
    const job = (name: string) => ({ job: { tag: 't', result: { summary: summary([{ ...item, label: name }]) } } });
    const id = await pending(person.jobId, job('Anna Weber'));
    const named = (await world.ask('GET', `/api/v1/jobs/${person.jobId}/`)).text;
    expect(named).toContain('Anna Weber');
    await world.ask('POST', '/api/v1/erasures/', { index_id: person.indexId });
    const [left] = await db.query('SELECT state, data FROM webhook_deliveries WHERE id = $1', [id]);
    const [shown] = summary([item]);
    const anew = { job: { tag: 't', result: { summary: [{ ...shown, source_name: 'a' }] } } };
    expect([left.state, JSON.parse(left.data)]).toEqual(['pending', anew]);
  });

  it('unsent results of a file are dropped, and the end of its job is still sent', async () => {
    const { db } = world.gateway;
    const { jobId } = await seen();
    const uri = `storage://${randomUUID()}`;
    await db.manager.update(JobSourceEntity, { jobId, index: 0 }, { uri });
    await db.manager.update(JobEntity, { id: jobId }, { state: 'completed', timeCompleted: new Date() });
    const result = (source: string) => ({ job: {}, detailed_result: { tc_end: '', source, module: 'm', meta: {} } });
    const summary = [{ source: uri, media_type: 'image', info: {}, items: [] }];
    const [found, ended, other] = [
      await pending(jobId, result(uri)),
      await pending(jobId, { job: { result: { summary } } }),
      await pending(jobId, result('storage://other')),
    ];
    await world.ask('POST', '/api/v1/erasures/', { file_uri: uri });
    const left: { id: string }[] = await db.query('SELECT id FROM webhook_deliveries WHERE id = ANY($1::uuid[])', [
      [found, ended, other],
    ]);
    expect(left.map(({ id }) => id).sort()).toEqual([ended, other].sort());
  });

  /** Images of a class, and active ones, as they are counted. */
  async function countsOf(classId: string): Promise<number[]> {
    const [row]: { images: number; active: number }[] = await world.gateway.db.query(
      'SELECT images, active_images AS active FROM dataset_classes WHERE id = $1',
      [classId],
    );
    return row === undefined ? [] : [row.images, row.active];
  }

  /** An image of a dataset, found before `meanwhile` and erased by its file after it. */
  async function erasedAfter(meanwhile: (image: DatasetImageEntity) => Promise<unknown>) {
    const { db } = world.gateway;
    const [datasetId, classId] = (await world.datasetClass()) as [string, string];
    const place = { workspaceId: world.gateway.workspaceId, datasetId, classId };
    const image = { storageKey: 'k', ownsFile: false, active: true, notes: '' };
    const [id, other] = [randomUUID(), randomUUID()];
    await insertImages(db, place, [
      { id, ...image },
      { id: other, ...image },
    ]);
    const before = await countsOf(classId);
    const found = await db.manager.findOneByOrFail(DatasetImageEntity, { id });
    await meanwhile(found);
    const wasThere = await inTransaction(db, (manager) => eraseImage(manager, found));
    const after = await countsOf(classId);
    return { wasThere, before, after, left: await db.manager.countBy(DatasetImageEntity, { id }) };
  }

  it('erasures count an image of a file once, whoever removes it meanwhile', async () => {
    const { db } = world.gateway;
    const { wasThere, before, after } = await erasedAfter((image) =>
      inTransaction(db, (manager) => removeImage(manager, image)),
    );
    expect([wasThere, after]).toEqual([false, before.map((count) => count - 1)]);
    const inactive = await erasedAfter((image) =>
      inTransaction(db, (manager) => changeImage(manager, image, { active: false })),
    );
    expect([inactive.wasThere, inactive.after]).toEqual([true, inactive.before.map((count) => count - 1)]);
  });

  it('erasures count an image out of the class that it has moved to meanwhile, also when the first one is gone', async () => {
    const { db } = world.gateway;
    let target = '';
    const move = async (image: DatasetImageEntity) => {
      const [made] = await insertClasses(db, image, [{ label: 'Moved here' }]);
      target = made?.id ?? '';
      await inTransaction(db, async (manager) => {
        await lockClasses(manager, image, target);
        await moveImage(manager, image, target);
      });
      expect(await countsOf(target)).toEqual([1, 1]);
    };
    const moved = await erasedAfter(move);
    expect([moved.wasThere, moved.left, await countsOf(target)]).toEqual([true, 0, [0, 0]]);
    expect(moved.after).toEqual(moved.before.map((count) => count - 1));
    const left = await erasedAfter(async (image) => {
      await move(image);
      await deleteClass(db, image);
    });
    expect([left.wasThere, left.left, await countsOf(target)]).toEqual([true, 0, [0, 0]]);
  });

  it('erasures do not wait for a dataset that is being deleted', async () => {
    const { db, workspaceId } = world.gateway;
    const gone = await erasedAfter(({ datasetId }) => deleteDataset(db, workspaceId, datasetId));
    expect([gone.wasThere, gone.left]).toEqual([true, 0]);
  });

  it('an erasure names one thing that is there', async () => {
    const wrong = [{}, { index_id: 'x' }, { dataset_id: 'x' }, { index_id: '1234567890', file_uri: 'storage://x' }];
    for (const body of wrong) expect((await world.ask('POST', '/api/v1/erasures/', body)).status).toBe(400);
    for (const body of [{ index_id: '1234567890' }, { dataset_id: randomUUID(), class_id: randomUUID() }]) {
      expect((await world.ask('POST', '/api/v1/erasures/', body)).status).toBe(404);
    }
    expect((await world.ask('GET', `/api/v1/erasures/${randomUUID()}/`)).status).toBe(404);
  });
});
