/** @needs servers */
import { TranscriptVariantEntity } from '@adit/database';
import { expect, it } from '@jest/globals';
import {
  describeTranscripts,
  said,
  database,
  reader,
  writer,
  workspaceId,
  statements,
  rows,
  transcribed,
  read,
  texts,
  edit,
} from './testing/describe-transcripts.js';

/** Several pages of what a job heard, and of what is read. */
const MANY = 2_000;

await describeTranscripts(() => {
  it('a former version is restored, and a version is deleted with what no other has', async () => {
    const place = await transcribed(said);
    for (const text of ['zwei', 'drei', 'vier']) await edit(place, (await read(place))[0]!, text);
    const restored = await writer.write(place, { restore_version: 1, changes: [] }, { ifMatch: null });
    expect(restored).toMatchObject({ version: 5, restored: 1, paragraphs: 3 });
    expect(await texts(place)).toEqual(await texts(place, 1));
    await writer.remove(place, '3');
    await expect(read(place, 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([(await texts(place, 2))[0], (await texts(place, 4))[0]]).toEqual(['zwei', 'vier']);
    const left = await database.dataSource.query(
      'SELECT 1 FROM transcript_paragraphs WHERE variant_id = $1 AND text = $2',
      [place.variantId, 'drei'],
    );
    expect(left).toEqual([]);
    await writer.remove(place, '5');
    expect((await texts(place))[0]).toBe('vier');
    expect(await edit(place, (await read(place))[0]!, 'sechs')).toMatchObject({ revision: 6 });
    for (const version of ['1', '2', '4']) await writer.remove(place, version);
    await expect(writer.remove(place, '6')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await texts(place)).toEqual(['sechs', 'Willkommen daheim.', 'Danke.']);
  });

  it('a variant takes no more than 100,000 versions, and any of them can be deleted', async () => {
    const place = await transcribed(said);
    const { manager } = database.dataSource;
    await manager.query(
      `INSERT INTO transcript_versions (variant_id, version, id, job_id, paragraphs, author)
       SELECT v.variant_id, n, gen_random_uuid(), v.job_id, v.paragraphs, v.author
         FROM transcript_versions v, generate_series(2, 100000) n WHERE v.variant_id = $1 AND v.version = 1`,
      [place.variantId],
    );
    const full = { latestVersion: 100_000, lastNumber: 100_000 };
    await manager.update(TranscriptVariantEntity, { id: place.variantId }, full);
    const [first] = await read(place);
    const refusal = { code: 'CONFLICT', message: 'A variant takes 100000 versions; copy it to go on.' };
    await expect(edit(place, { ...first!, revision: 100_000 }, 'Guten Tag.')).rejects.toMatchObject(refusal);
    for (const version of ['1', '50000', '100000']) await writer.remove(place, version);
    expect(await texts(place)).toEqual(said.map(({ text }) => text));
    const { version } = await reader.version(place.workspaceId, place.transcriptId, place.variantId);
    expect(version.version).toBe(99_999);
    // Numbers are not used twice.
    await expect(edit(place, { ...first!, revision: 99_999 }, 'Guten Tag.')).rejects.toMatchObject(refusal);
  }, 120_000);

  it(`one edit among ${MANY} paragraphs writes one row, and a page of them is read alone`, async () => {
    const many = Array.from({ length: MANY }, (_, at) => ({ text: `Satz ${at}.`, start: at, end: at + 0.5 }));
    const place = await transcribed(many);
    const before = await rows();
    const at = await reader.version(workspaceId, place.transcriptId, place.variantId);
    const { total, paragraphs } = await reader.paragraphs(at, { offset: 1_000, limit: 3 });
    expect([total, paragraphs.map(({ index, text }) => [index, text])]).toEqual([
      MANY,
      [1_000, 1_001, 1_002].map((index) => [index, `Satz ${index}.`]),
    ]);
    const { length: begun } = statements;
    expect(await edit(place, paragraphs[1]!, 'Ein anderer Satz.')).toMatchObject({ index: 1_001 });
    expect(statements.length - begun).toBeLessThan(9);
    expect(await rows()).toBe(before + 1);
    const now = await reader.version(workspaceId, place.transcriptId, place.variantId);
    const { total: hits, paragraphs: found } = await reader.paragraphs(now, {
      offset: 0,
      limit: 10,
      search: 'ANDERER',
    });
    expect([hits, found[0]]).toMatchObject([1, { index: 1_001 }]);
  });

  /** @hardening overload: A page of long paragraphs takes hundreds of megabytes */
  it('long paragraphs are read in smaller pages', async () => {
    const long = 'x'.repeat(10_000);
    const place = await transcribed(
      Array.from({ length: 260 }, (_, at) => ({ text: at < 2 ? long.repeat(120) : long, start: at, end: at + 1 })),
    );
    const at = await reader.version(workspaceId, place.transcriptId, place.variantId);
    const sizes: number[] = [];
    for (let offset = 0; offset < 260;) {
      const { limit, paragraphs } = await reader.paragraphs(at, { offset, limit: 1_000, search: 'x' });
      if (offset + paragraphs.length < 260) expect(limit).toBe(paragraphs.length);
      expect((await reader.paragraphs(at, { offset, limit })).paragraphs.map(({ index }) => index)).toEqual(
        paragraphs.map(({ index }) => index),
      );
      sizes.push(paragraphs.length);
      offset += paragraphs.length;
    }
    // One that is longer than any page is a page of its own.
    expect(sizes).toEqual([1, 1, 100, 100, 58]);
    let spoken = 0;
    for await (const { text } of reader.spoken(at, () => Promise.resolve())) spoken += text.length > 0 ? 1 : 0;
    expect(spoken).toBe(260);
  });
});
