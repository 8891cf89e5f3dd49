/** @needs servers */
import { randomUUID } from 'node:crypto';
import type { VersionChange } from '@adit/contracts';
import { TranscriptEntity, TranscriptVariantEntity, WorkspaceEntity } from '@adit/database';
import { storageUsed } from '@adit/storage';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { WritePlace } from './index.js';
import { insertSpeechJob, workspace } from './testing/speech-job.js';
import {
  describeTranscripts,
  BOUNDS,
  said,
  database,
  reader,
  writer,
  made,
  workspaceId,
  rows,
  bytesOf,
  summed,
  transcribed,
  read,
  edit,
} from './testing/describe-transcripts.js';

await describeTranscripts(() => {
  describe('a variant knows the bytes of its paragraphs', () => {
    const save = (place: WritePlace, changes: VersionChange[]) => writer.write(place, { changes }, { ifMatch: null });
    const restore = (place: WritePlace, version: number) =>
      writer.write(place, { restore_version: version, changes: [] }, { ifMatch: null });
    const behind = (after: string | null, text: string, count = 1): VersionChange[] =>
      Array.from({ length: count }, () => ({ after, text, speaker: null, time_start: 1, time_end: 2 }));
    const copied = async (place: WritePlace): Promise<WritePlace> => {
      const order = { id: randomUUID(), author: 'spec', ...BOUNDS, mostBytes: place.mostBytes };
      const request = { language: 'fr', mode: 'copy' as const, variant_id: place.variantId };
      const variant = await made.createVariant(workspaceId, place.transcriptId, request, order);
      return { ...place, variantId: variant.id };
    };
    /** Everything there is of a variant. */
    const stored = async ({ variantId }: WritePlace): Promise<unknown> =>
      Promise.all(
        ['variants t WHERE id', 'versions t WHERE variant_id', 'paragraphs t WHERE variant_id'].map((rows) =>
          database.dataSource.query(`SELECT to_jsonb(t) AS row FROM transcript_${rows} = $1 ORDER BY 1`, [variantId]),
        ),
      );
    const full = (most: number): object => ({
      code: 'CONFLICT',
      message:
        `A variant of a transcript holds at most ${most} bytes in all its versions; ` +
        'delete older versions, or make a new variant.',
      options: { errors: [{ code: 'too_many' }] },
    });

    const chargedOf = async ({ transcriptId: id }: WritePlace): Promise<number> =>
      Number((await database.dataSource.manager.findOneByOrFail(TranscriptEntity, { id })).bytes);

    it('after whatever is done to it', async () => {
      const at = fc.nat(1_000);
      const text = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 40 }), fc.lorem());
      const step = fc.oneof(
        fc.record({
          kind: fc.constant('edit' as const),
          at,
          text,
          speaker: fc.option(fc.string({ unit: 'grapheme' })),
        }),
        fc.record({ kind: fc.constant('change' as const), at, text, count: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ kind: fc.constantFrom('restore' as const, 'forget' as const, 'copy' as const), at }),
      );
      const done = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
          const variants = [await transcribed(said)];
          for (const one of steps) {
            const place = variants[one.at % variants.length]!;
            const paragraphs = await read(place);
            const chosen = paragraphs[one.at % paragraphs.length];
            const { rows: versions } = await reader.versions(place.variantId, { offset: 0, limit: 100 });
            const { version } = versions[one.at % versions.length]!;
            if (one.kind === 'edit') {
              if (chosen === undefined) continue;
              const seen = { id: chosen.id, base: String(versions[0]!.version), ifMatch: null };
              // Times that JSON writes as 1e-7.
              await writer.editParagraph(place, seen, { text: one.text, speaker: one.speaker, time_start: 1e-7 });
            } else if (one.kind === 'change') {
              const removed = chosen === undefined ? [] : [{ id: chosen.id, remove: true as const }];
              await save(place, [...removed, ...behind(chosen?.id ?? null, one.text, one.count)]);
            } else if (one.kind === 'restore') await restore(place, version);
            else if (one.kind === 'copy') variants.push(await copied(place));
            else if (versions.length > 1) await writer.remove(place, String(version));
            else continue;
            done.add(one.kind);
            let bytes = 0;
            for (const variant of variants) {
              expect(await bytesOf(variant)).toBe(await summed(variant));
              bytes += await bytesOf(variant);
            }
            expect(await chargedOf(variants[0]!)).toBe(bytes);
          }
          const [original, ...copies] = variants;
          for (const { transcriptId, variantId } of copies) {
            await writer.removeVariant(workspaceId, transcriptId, variantId);
          }
          if (copies.length > 0) expect(await chargedOf(original!)).toBe(await bytesOf(original!));
        }),
        { numRuns: 30 },
      );
      expect([...done].sort()).toEqual(['change', 'copy', 'edit', 'forget', 'restore']);
    });

    it('and takes no more than there is room for, until a version is deleted', async () => {
      const place = await transcribed(said);
      const [first, second] = await read(place);
      for (const text of ['eins', 'zwei']) await edit(place, (await read(place))[0]!, text);
      const tight = { ...place, mostBytes: (await bytesOf(place)) + 300 };
      const before = await stored(place);
      const beyond: (() => Promise<unknown>)[] = [
        () => edit(tight, { ...first!, revision: 3 }, 'Guten Tag.'),
        () => save(tight, [{ id: second!.id, text: 'Willkommen zu Hause.' }]),
        () => save(tight, behind(null, 'Noch einer.')),
        // The first of these two would fit.
        () => save(tight, [...behind(null, ''), ...behind(first!.id, '')]),
        () => restore(tight, 1),
      ];
      for (const write of beyond) {
        await expect(write()).rejects.toMatchObject(full(tight.mostBytes));
        expect(await stored(place)).toEqual(before);
      }
      await writer.remove(tight, '2');
      expect(await edit(tight, { ...first!, revision: 3 }, 'drei')).toMatchObject({ revision: 4, text: 'drei' });
      expect(await bytesOf(place)).toBe(await summed(place));
      // A variant of its own has the newest version alone.
      expect(await bytesOf(await copied(tight))).toBeLessThan((await bytesOf(place)) - 256);
      // A write that adds nothing needs no quota.
      expect(await save({ ...place, mostBytes: 1 }, [{ id: second!.id, remove: true }])).toMatchObject({
        paragraphs: 2,
      });
      expect(await restore({ ...place, mostBytes: 1 }, 5)).toMatchObject({ paragraphs: 2 });
    });

    it('and lets one of several writers take the room that is left for one', async () => {
      const place = await transcribed(said);
      const paragraphs = await read(place);
      const tight = { ...place, mostBytes: (await bytesOf(place)) + 600 };
      const written = await Promise.allSettled(
        Array.from({ length: 8 }, (_, at) => edit(tight, paragraphs[at % 3]!, `Nummer ${at}.`)),
      );
      const refused = written.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(refused).toHaveLength(7);
      expect(await bytesOf(place)).toBe(await summed(place));
      expect(await bytesOf(place)).toBeLessThanOrEqual(tight.mostBytes);
      expect(refused.filter(({ options }) => options.errors[0].code === 'too_many')).not.toEqual([]);
    });

    it('and is not made where it would begin with more than there is room for', async () => {
      const jobId = await insertSpeechJob(database.dataSource.manager, workspaceId, said);
      const id = randomUUID();
      const order = { id, author: 'spec', most: 1_000, ...BOUNDS, mostBytes: 1_000 };
      const refusal = { code: 'CONFLICT', options: { errors: [{ code: 'too_many' }] } };
      const before = await rows();
      await expect(made.create(workspaceId, { job_id: jobId }, order)).rejects.toMatchObject(refusal);
      await expect(reader.transcript(workspaceId, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(copied({ ...(await transcribed(said)), mostBytes: 1_000 })).rejects.toMatchObject(refusal);
      expect(await rows()).toBe(before + said.length);
    });

    it('also where it was made by a build that counted none', async () => {
      const place = await transcribed(said);
      await edit(place, (await read(place))[0]!, 'Guten Tag.');
      await database.dataSource.manager.update(TranscriptVariantEntity, { id: place.variantId }, { bytes: null });
      const tight = { ...place, mostBytes: await summed(place) };
      await expect(edit(tight, (await read(place))[0]!, 'Servus.')).rejects.toMatchObject(full(tight.mostBytes));
      await edit(place, (await read(place))[0]!, 'Servus.');
      expect(await bytesOf(place)).toBe(await summed(place));
      // It forgets what is not in the number.
      await database.dataSource.manager.update(TranscriptVariantEntity, { id: place.variantId }, { bytes: '1' });
      await writer.remove(place, '3');
      expect(await bytesOf(place)).toBe(0);
    });
  });

  describe('the workspace is charged', () => {
    const change = { after: null, text: 'Noch einer.', speaker: null, time_start: 1, time_end: 2 };
    const save = (place: WritePlace) => writer.write(place, { changes: [change] }, { ifMatch: null });
    const used = async ({ workspaceId: id }: WritePlace): Promise<number> =>
      (await storageUsed(database.dataSource.manager, [id])).get(id) ?? 0;
    const copied = async (place: WritePlace): Promise<WritePlace> => {
      const request = { language: 'fr', mode: 'copy' as const };
      const order = { ...place, id: randomUUID() };
      const { id } = await made.createVariant(place.workspaceId, place.transcriptId, request, order);
      return { ...place, variantId: id };
    };
    const alone = async (): Promise<WritePlace> =>
      transcribed(said, { workspaceId: await workspace(database.dataSource.manager) });
    /** Whatever takes more of it, by people whose room ends there. */
    const takers = (place: WritePlace): (() => Promise<unknown>)[] => [
      async () => edit(place, (await read(place))[0]!, 'Guten Tag.'),
      () => save(place),
      () => writer.write(place, { restore_version: 1, changes: [] }, { ifMatch: null }),
      () => copied(place),
      () => transcribed(said, place),
    ];

    it('for all that its transcripts hold, until it is deleted', async () => {
      const place = await alone();
      const first = await bytesOf(place);
      expect(await used(place)).toBe(first);
      const other = await transcribed(said, place);
      const copy = await copied(place);
      await save(copy);
      expect(await used(place)).toBe(first + (await bytesOf(other)) + (await bytesOf(copy)));
      await writer.remove(copy, '2');
      expect(await used(place)).toBe(first + (await bytesOf(other)) + (await bytesOf(copy)));
      await writer.removeVariant(place.workspaceId, copy.transcriptId, copy.variantId);
      expect(await used(place)).toBe(first + (await bytesOf(other)));
      const { manager } = database.dataSource;
      await manager.update(TranscriptEntity, { id: other.transcriptId }, { timeDeleted: new Date() });
      expect(await used(place)).toBe(first);
      // Made by a build that sums up nothing.
      await manager.update(TranscriptEntity, { id: place.transcriptId }, { bytes: null });
      expect(await used(place)).toBe(first);
    });

    it.each([
      ['its transcripts may hold', 'workspaceBytes', 'CONFLICT', 'too_many'],
      ['its files, transcripts and recordings may have', 'storageBytes', 'STORAGE_FULL', 'storage_full'],
    ] as const)('up to what %s', async (_, bound, code, reason) => {
      const place = await alone();
      await edit(place, (await read(place))[1]!, 'Willkommen zu Hause.');
      const before = await used(place);
      const full = { ...place, [bound]: before + 200 };
      for (const take of takers(full)) {
        await expect(take()).rejects.toMatchObject({ code, options: { errors: [{ code: reason }] } });
        expect(await used(place)).toBe(before);
      }
      // A write that adds nothing is saved, and a deletion frees quota.
      const { id } = (await read(place))[2]!;
      await writer.write({ ...full, [bound]: 1 }, { changes: [{ id, remove: true }] }, { ifMatch: null });
      await writer.remove(full, '1');
      await edit(full, { ...(await read(place))[0]!, revision: 3 }, 'Servus.');
    });

    it('up to a number of its own', async () => {
      const place = await alone();
      const storageBytes = String((await used(place)) + 200);
      await database.dataSource.manager.update(WorkspaceEntity, { id: place.workspaceId }, { storageBytes });
      await expect(save(place)).rejects.toMatchObject({
        code: 'STORAGE_FULL',
        message: `The files, transcripts and recordings of this workspace may have ${storageBytes} bytes together; 200 are left.`,
      });
    });

    it('by one of several writers that have room for one, each in a transcript of its own', async () => {
      const one = await alone();
      const places = [one, await transcribed(said, one), await copied(one), await transcribed(said, one)];
      const workspaceBytes = (await used(one)) + 500;
      const written = await Promise.allSettled(places.map((place) => save({ ...place, workspaceBytes })));
      expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await used(one)).toBeLessThanOrEqual(workspaceBytes);
    });
  });
});
