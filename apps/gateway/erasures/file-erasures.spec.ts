/** @needs ffmpeg, weights */
import { createHash, randomUUID } from 'node:crypto';
import {
  ArtifactEntity,
  BatchEntity,
  columns,
  ErasureEntity,
  ExportEntity,
  FoldEntity,
  IdentityEntity,
  JobEntity,
  JobSourceEntity,
  ReportEntity,
  ReportItemEntity,
  SegmentEntity,
  StorageEntryEntity,
  SummaryEntity,
} from '@adit/database';
import { exportPrefix } from '@adit/artifacts';
import { packsPrefix } from '@adit/jobs';
import { describe, expect, it, jest } from '@jest/globals';
import { Erasures } from './erasures.js';
import {
  useErasureWorld,
  SECRET,
  world,
  objects,
  db,
  workspaceId,
  newUri,
  later,
  placesOf,
  observed,
  heard,
  posted,
  receipt,
  asker,
  deleting,
  goOn,
  segmentsOf,
  uriOf,
} from './testing/file-erasure-world.js';

useErasureWorld();

describe('erasures of a file', () => {
  it('erasures of a file leave nothing of what was said in it, wherever that is kept', async () => {
    const { manager } = db();
    const uri = newUri();
    const { jobId, digest } = await heard(uri);
    await observed(digest);
    await objects.put(`${packsPrefix(jobId)}chunk/0/sound`, Buffer.from(SECRET));
    await objects.put(`jobs/${jobId}/media/${digest}/audio-0-1000/a/l/observations.json`, Buffer.from(SECRET));
    await manager.insert(
      SummaryEntity,
      columns<SummaryEntity>({
        ...{ jobId, seq: 0, id: randomUUID(), moduleId: 's', sourceIndex: 0, type: 't', meta: { [SECRET]: 1 } },
      }),
    );
    const fold = { jobId, moduleId: 'speech_recognition', sourceIndex: 0, chunkIds: [], closed: true };
    await manager.insert(FoldEntity, { ...fold, state: SECRET });
    const person = { jobId, collection: 'face_recognition', number: 1, members: 1, maxDistance: 1 };
    await manager.insert(IdentityEntity, { ...person, centroid: Buffer.from('a') });
    // A transcript with two versions, and its export; those who listen were told of the words.
    const made = await world.ask('POST', '/api/v1/transcripts/', { job_id: jobId });
    const { id: transcriptId } = made.json<{ id: string }>();
    const variants = await world.ask('GET', `/api/v1/transcripts/${transcriptId}/variants/`);
    const [variant] = variants.json<{ data: { id: string }[] }>().data;
    const versions = `/api/v1/transcripts/${transcriptId}/variants/${variant!.id}/versions/`;
    const paragraphs = await world.ask('GET', `${versions}1/paragraphs/`);
    const [first] = paragraphs.json<{ data: { id: string }[] }>().data;
    const edit = { text: `Guten Morgen, ${SECRET}.` };
    expect((await world.ask('PUT', `${versions}1/paragraphs/${first!.id}/`, edit)).status).toBeLessThan(300);
    for (const whose of [{ jobId }, { transcriptId }]) {
      const id = randomUUID();
      const strategy = 'jobId' in whose ? ('job_results_export' as const) : ('transcript_export' as const);
      const row = { id, workspaceId: workspaceId(), strategy, config: {}, ...whose, state: 'completed' as const };
      await manager.insert(ExportEntity, row);
      const objectKey = `${exportPrefix(id)}file`;
      await objects.put(objectKey, Buffer.from(SECRET));
      const file = { id: randomUUID(), filename: 'f', mimeType: null, objectKey, size: '1', timeExpiration: later() };
      await manager.insert(ArtifactEntity, { ...file, exportId: id });
    }
    const webhookId = await world.webhook();
    await db().query(
      `INSERT INTO webhook_deliveries (id, subscription, fact, kind, signer, job_id, url, receiver, event, timestamp, data, due_at)
       VALUES (gen_random_uuid(), 'webhook:' || $1::uuid, gen_random_uuid(), 'workspace', $1::uuid, NULL, 'https://a', 'https://a',
               'svc.transcript.variant.version.paragraph.on_updated', 0, $2, now())`,
      [webhookId, JSON.stringify({ paragraph: { text: SECRET, transcript_id: transcriptId } })],
    );
    // A report on the batch around that of the job.
    const [outer, inner] = [randomUUID(), randomUUID()];
    await manager.insert(BatchEntity, { id: outer, workspaceId: workspaceId(), name: 'outer' });
    await manager.insert(BatchEntity, { id: inner, workspaceId: workspaceId(), name: 'inner', parentId: outer });
    await manager.update(JobEntity, { id: jobId }, { batchId: inner });
    const reportId = randomUUID();
    const report = {
      id: reportId,
      workspaceId: workspaceId(),
      batchId: outer,
      title: 'r',
      state: 'completed' as const,
    };
    await manager.insert(ReportEntity, report);
    const info = { name_to_speech_time: { [SECRET]: 1 } } as never;
    await manager.insert(ReportItemEntity, { reportId, position: 0, batchId: inner, info });

    const kept = await placesOf(SECRET);
    expect(kept).toEqual(
      expect.arrayContaining([
        ...['exports', 'folds', 'jobs', 'media', 'report_items', 'segments', 'summaries', 'transcript_paragraphs'],
        'webhook_deliveries',
      ]),
    );
    const answer = await posted(uri);
    expect(await placesOf(SECRET)).toEqual([]);
    expect(answer).toMatchObject({
      state: 'completed',
      counts: {
        ...{ segments: 2, sums: 1, pictures: 0, embeddings: 1, transcripts: 1, observations: 1, media: 1 },
        ...{ artifacts: 4, exports: 1, reports: 1, webhook_deliveries: 1, dataset_images: 0 },
      },
    });
    const job = (await world.ask('GET', `/api/v1/jobs/${jobId}/`)).json<{ state: string; result: unknown }>();
    expect(job).toMatchObject({ state: 'completed', result: { summary: [{ source: uri, items: [] }] } });
    const results = await world.ask('GET', `/api/v1/jobs/${jobId}/detailed-results/`);
    expect(results.json()).toMatchObject({ total: 0, data: [] });
    // Asked for once more there is nothing to do.
    expect(await posted(uri)).toMatchObject({ state: 'completed', counts: { segments: 0, artifacts: 0 } });
  });

  it('long results are erased in steps, and end the same way, wherever the process dies in between', async () => {
    const texts = Array.from({ length: 1_100 }, (_, at) => `${SECRET} ${at}`);
    let steps = Infinity;
    for (let cut = 0; cut <= steps; cut += 1) {
      const uri = newUri();
      const { digest, jobId } = await heard(uri, texts);
      await observed(digest);
      await world.ask('POST', '/api/v1/transcripts/', { job_id: jobId });
      const first = new Erasures(db(), objects);
      const id = await first.begin({ file_uri: uri }, asker());
      let taken = 0;
      while (taken < cut && (await first.step(id))) taken += 1;
      // Two that find it at the same time.
      await Promise.all([goOn(), goOn()]);
      const counts = { segments: 1_100, transcripts: 1, observations: 1, media: 1, artifacts: 3 };
      expect([cut, await receipt({ id })]).toMatchObject([cut, { state: 'completed', counts }]);
      expect([cut, await placesOf(SECRET)]).toEqual([cut, []]);
      if (taken < cut) steps = taken;
    }
    expect(steps).toBeGreaterThan(5);
  }, 120_000);

  it('erasures last while files that another process took up are still in the object store', async () => {
    const { manager } = db();
    const find = manager.findOneBy.bind(manager);
    for (let steps = 0; steps < 8; steps += 1) {
      const uri = newUri();
      const { digest } = await heard(uri);
      await observed(digest);
      const late = new Erasures(db(), objects);
      const id = await late.begin({ file_uri: uri }, asker());
      // Its rows go by a process that dies after so many steps, between two looks of one that is slower.
      const looks = jest.spyOn(manager, 'findOneBy').mockImplementationOnce(async (...asked) => {
        const row = await find(...asked);
        const dying = new Erasures(
          db(),
          deleting(() => Promise.reject(new Error('dead'))),
        );
        for (let step = 0; step < steps; step += 1) await dying.step(id);
        return row;
      });
      await late.step(id);
      looks.mockRestore();
      const { state } = await receipt({ id });
      expect([steps, state, state === 'completed' ? await placesOf(SECRET) : []]).toEqual([steps, state, []]);
      await goOn();
      expect(await receipt({ id })).toMatchObject({ state: 'completed', counts: { media: 1, artifacts: 3 } });
      expect([steps, await placesOf(SECRET)]).toEqual([steps, []]);
    }
  });

  it('erasures of a stored file reach its programmes, whose jobs are gone', async () => {
    const entry = await db().manager.findOneByOrFail(StorageEntryEntity, { id: Number(await world.file()) });
    const digest = createHash('sha256').update(entry.id.toString()).digest('hex');
    await db().manager.update(StorageEntryEntity, { id: entry.id }, { digest });
    await observed(`${digest}-101`, digest);
    const { id } = await posted(`storage://${entry.key}`);
    await goOn();
    expect(await receipt({ id })).toMatchObject({ state: 'completed', counts: { media: 1, observations: 1 } });
    expect(await placesOf(SECRET)).toEqual([]);
  });

  it('results from a job’s other sources stay, counted and numbered as if there were no more', async () => {
    const uri = newUri();
    const other = newUri();
    const { jobId } = await heard(uri, [SECRET, 'a', SECRET, 'b', 'c']);
    const { manager } = db();
    await manager.insert(JobSourceEntity, columns<JobSourceEntity>({ jobId, index: 1, uri: other, state: 'planned' }));
    for (const seq of [1, 3, 4]) await manager.update(SegmentEntity, { jobId, seq }, { sourceIndex: 1 });
    const group = { identityCollection: 'c', identityNumber: 1 };
    for (const seq of [0, 1]) await manager.update(SegmentEntity, { jobId, seq }, group);
    await manager.update(SegmentEntity, { jobId, seq: 2 }, { ...group, identityNumber: 2 });
    for (const number of [1, 2, 3]) {
      const row = { jobId, collection: 'c', number, members: 1, maxDistance: 1, centroid: Buffer.from('a') };
      await manager.insert(IdentityEntity, row);
    }
    const sum = { jobId, moduleId: 's', type: 't' };
    for (const [seq, category] of [SECRET, 'Unknown #3'].entries()) {
      const row = { ...sum, seq, id: randomUUID(), sourceIndex: seq, meta: { [category]: 1 } };
      await manager.insert(SummaryEntity, columns<SummaryEntity>(row));
    }
    const items = (label: string) => [{ type: 'speech', label, module: 's' }];
    const summary = [
      { source: uri, media_type: 'audio', info: {}, items: items(SECRET) },
      { source: other, media_type: 'audio', info: {}, items: items('a') },
    ];
    await manager.update(JobEntity, { id: jobId }, { summary: summary as never });
    const transcript = await world.ask('POST', '/api/v1/transcripts/', { job_id: jobId, source: other });
    const answer = await posted(uri);
    expect(answer).toMatchObject({
      state: 'completed',
      counts: { segments: 2, transcripts: 0, embeddings: 1, sums: 1 },
    });
    expect(await placesOf(SECRET)).toEqual([]);
    const left = await segmentsOf(jobId);
    expect(left.map(({ seq, moduleSeq, label }) => [seq, moduleSeq, label])).toEqual([
      [0, 0, 'a'],
      [1, 1, 'b'],
      [2, 2, 'c'],
    ]);
    const page = (await world.ask('GET', `/api/v1/jobs/${jobId}/detailed-results/?limit=2`)).json();
    expect(page).toMatchObject({ total: 3, data: [{ meta: { text: 'a' } }, { meta: { text: 'b' } }] });
    const job = (await world.ask('GET', `/api/v1/jobs/${jobId}/`)).json();
    expect(job).toMatchObject({ result: { summary: [{ items: [] }, { items: [{ label: 'a' }] }] } });
    expect(await manager.countBy(SummaryEntity, { jobId })).toBe(1);
    expect((await manager.findBy(IdentityEntity, { jobId })).map(({ number }) => number).sort()).toEqual([1, 3]);
    const { id } = transcript.json<{ id: string }>();
    expect((await world.ask('GET', `/api/v1/transcripts/${id}/`)).status).toBe(200);
    // Its files show both sources: they are gone, and asked for anew by an export.
    expect(await manager.countBy(ArtifactEntity, { jobId })).toBe(0);
  });

  it('all jobs that mined the file are erased, however they spell its address, and so is the cache of its bytes', async () => {
    const uri = newUri();
    const key = uri.slice('storage://'.length);
    const [one, two] = [await heard(uri), await heard(`Storage://${key}`)];
    const copy = await heard(newUri());
    await db().manager.update(JobSourceEntity, { jobId: copy.jobId }, { mediaDigest: one.digest });
    await observed(one.digest);
    await observed(two.digest);
    const answer = await posted(uri);
    expect(answer).toMatchObject({ state: 'completed', counts: { segments: 4, observations: 2, media: 2 } });
    for (const { jobId } of [one, two]) expect(await segmentsOf(jobId)).toEqual([]);
    // Results of a copy at another address are kept until that address is erased.
    expect(await segmentsOf(copy.jobId)).toHaveLength(2);
    await posted(await uriOf(copy.jobId));
    expect(await placesOf(SECRET)).toEqual([]);
  });

  it('erasures that an earlier build began are done as a whole', async () => {
    const uri = newUri();
    const { jobId } = await heard(uri);
    const id = randomUUID();
    await db().manager.insert(ErasureEntity, {
      id,
      ...asker(),
      subject: { file_uri: uri },
      phase: 'objects',
      counts: {},
    });
    await goOn();
    expect(await receipt({ id })).toMatchObject({ state: 'completed', counts: { segments: 2 } });
    expect(await segmentsOf(jobId)).toEqual([]);
  });

  it('jobs of a file are found by an index', async () => {
    const plan = await db().transaction(async (manager) => {
      await manager.query('SET LOCAL enable_seqscan = off');
      const rows: Record<string, string>[] = await manager.query(
        `EXPLAIN SELECT job_id FROM job_sources s WHERE s.uri ILIKE 'storage://%' AND substr(s.uri, 11) = 'a'`,
      );
      return rows.map((row) => Object.values(row)[0]).join('\n');
    });
    expect(plan).toMatch(/Index.*job_sources_of_file/);
  });
});
