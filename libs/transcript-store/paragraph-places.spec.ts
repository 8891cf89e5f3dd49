/** @needs servers */
import type { VersionChange } from '@adit/contracts';
import { TranscriptVariantEntity } from '@adit/database';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { WritePlace } from './index.js';
import {
  describeTranscripts,
  said,
  database,
  reader,
  writer,
  workspaceId,
  statements,
  bytesOf,
  summed,
  transcribed,
  read,
  texts,
} from './testing/describe-transcripts.js';

await describeTranscripts(() => {
  /** @hardening overload: A thousand paragraphs in one place hold the database */
  it('many paragraphs are put into one place in their order, by a handful of statements and with short numbers', async () => {
    const place = await transcribed(said);
    const [first, second] = await read(place);
    const behind = (after: string | null, name: string) =>
      Array.from({ length: 200 }, (_, at) => ({
        ...{ after, text: `${name} ${at}`, speaker: null, time_start: 1, time_end: 2 },
      }));
    const changes = [
      ...behind(null, 'before'),
      ...behind(first!.id, 'between'),
      { id: second!.id, remove: true as const },
      ...behind(second!.id, 'removed'),
    ];
    const { length: before } = statements;
    await writer.write(place, { changes }, { ifMatch: null });
    expect(statements.length - before).toBeLessThan(40);
    const names = (name: string) => behind(null, name).map(({ text }) => text);
    const order = [...names('before'), said[0]!.text, ...names('between'), ...names('removed'), said[2]!.text];
    expect(await texts(place)).toEqual(order);
    await writer.write(place, { changes: behind(first!.id, 'again') }, { ifMatch: null });
    expect(await texts(place)).toEqual(order.toSpliced(201, 0, ...names('again')));
    const [{ longest }] = await database.dataSource.query<[{ longest: number }]>(
      'SELECT max(length(position::text)) AS longest FROM transcript_paragraphs WHERE variant_id = $1',
      [place.variantId],
    );
    expect(longest).toBeLessThan(40);
  });

  describe('any number of paragraphs can be put into one place', () => {
    const behind = (after: string | null, text: string, count: number): VersionChange[] =>
      Array.from({ length: count }, () => ({ after, text, speaker: null, time_start: 1, time_end: 2 }));
    /** As after so many paragraphs that were put behind the first one: each halved the room there. */
    const crowd = (place: WritePlace, times: number): Promise<unknown> => {
      const fraction = (5n ** BigInt(times)).toString().padStart(times, '0');
      return database.dataSource.query(
        'UPDATE transcript_paragraphs SET position = $2 WHERE variant_id = $1 AND position = 2',
        [place.variantId, `1.${fraction}`],
      );
    };
    const longest = async ({ variantId }: WritePlace): Promise<number> => {
      const [found] = await database.dataSource.query<[{ longest: number }]>(
        'SELECT max(length(position::text)) AS longest FROM transcript_paragraphs WHERE variant_id = $1',
        [variantId],
      );
      return found.longest;
    };

    it('where another build left no room in an entry of the index', async () => {
      const place = await transcribed(said);
      const [first] = await read(place);
      await crowd(place, 5_320);
      await database.dataSource.manager.update(TranscriptVariantEntity, { id: place.variantId }, { bytes: null });
      const order = said.map(({ text }) => text);
      for (let at = 0; at < 30; at += 1) {
        await writer.write(place, { changes: behind(first!.id, `Satz ${at}.`, 1) }, { ifMatch: null });
        order.splice(1, 0, `Satz ${at}.`);
      }
      expect(await texts(place)).toEqual(order);
      expect(await longest(place)).toBeLessThan(100);
      expect(await bytesOf(place)).toBe(await summed(place));
    });

    it('in their order, wherever they go, in every version', async () => {
      const anywhere = fc.array(fc.nat(100), { minLength: 8, maxLength: 12 });
      const sequences = {
        'at one place': anywhere.map((all) => all.map(() => 0)),
        'at two by turns': anywhere.map((all) => all.map((_, turn) => turn % 2)),
        'in the middle of what was put last': anywhere.map((all) => all.map((_, turn) => turn % 3)),
        anywhere,
      };
      for (const [name, sequence] of Object.entries(sequences)) {
        let renumbered = 0;
        await fc.assert(
          fc.asyncProperty(sequence, fc.integer({ min: 1, max: 6 }), async (places, count) => {
            const place = await transcribed(said);
            await crowd(place, 497);
            const [, removed] = await read(place);
            let order = said.map(({ text }) => text);
            const versions = [order];
            const change = async (changes: VersionChange[]): Promise<void> => {
              const before = await longest(place);
              await writer.write(place, { changes }, { ifMatch: null });
              if ((await longest(place)) < before) renumbered += 1;
              versions.push(order);
            };
            for (const [turn, at] of places.entries()) {
              const shown = await read(place);
              const { id } = shown[at % shown.length]!;
              const text = `${turn}`;
              order = order.toSpliced((at % shown.length) + 1, 0, ...Array.from({ length: count }, () => text));
              await change(behind(id, text, count));
            }
            order = order.filter((text) => text !== removed!.text);
            await change([{ id: removed!.id, remove: true }]);
            for (const [index, texted] of versions.entries()) expect(await texts(place, index + 1)).toEqual(texted);
            expect(await longest(place)).toBeLessThanOrEqual(500);
          }),
          { numRuns: 1 },
        );
        expect([name, renumbered > 0]).toEqual([name, name !== 'anywhere' || renumbered > 0]);
      }
    });
  });

  it('new paragraphs come where they are wanted, and the differences between two versions are shown', async () => {
    const place = await transcribed(said);
    const [first, second] = await read(place);
    const between = (text: string, after: string | null) => ({
      after,
      text,
      speaker: null,
      time_start: 1.5,
      time_end: 2,
    });
    const changes = [
      between('b', first!.id),
      between('c', first!.id),
      between('a', null),
      { id: second!.id, text: 'Willkommen in Wien.' },
    ];
    const version = await writer.write(place, { changes }, { ifMatch: null });
    expect(version).toMatchObject({ version: 2, paragraphs: 6 });
    expect(await texts(place)).toEqual(['a', 'Guten Abend.', 'b', 'c', 'Willkommen in Wien.', 'Danke.']);
    const from = await reader.version(workspaceId, place.transcriptId, place.variantId, 1);
    const { total, differences } = await reader.differences(from, version, { offset: 0, limit: 10 });
    expect(total).toBe(4);
    expect(
      differences.map(({ kind, words }) => [kind, words.map((word) => `${word.kind} ${word.text}`).join(', ')]),
    ).toEqual([
      ['added', 'added a'],
      ['added', 'added b'],
      ['added', 'added c'],
      ['changed', 'same Willkommen, removed daheim., added in, added Wien.'],
    ]);
    const back = await reader.differences({ ...from, version }, from.version, { offset: 0, limit: 1 });
    expect([back.total, back.differences[0]]).toMatchObject([
      4,
      { kind: 'removed', after: null, before: { text: 'a' } },
    ]);
  });
});
