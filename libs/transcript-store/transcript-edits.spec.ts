/** @needs servers */
import { randomUUID } from 'node:crypto';
import { WebhookEntity } from '@adit/database';
import { expect, it } from '@jest/globals';
import {
  describeTranscripts,
  said,
  database,
  reader,
  writer,
  workspaceId,
  statements,
  transcribed,
  read,
  texts,
  edit,
  write,
} from './testing/describe-transcripts.js';

const WRITERS = 20;

/** Several pages of what a job heard, and of what is read. */
const MANY = 2_000;

await describeTranscripts(({ isShared }) => {
  it('an edit keeps the times of words that stay, in every version', async () => {
    const place = await transcribed(said);
    const [first] = await read(place);
    expect(first).toMatchObject({
      index: 0,
      revision: 1,
      speaker: 'Ada',
      words: [{ confidence: 0.8 }, { confidence: 0.7 }],
    });
    const now = await edit(place, first!, 'Guten Abend, alle.');
    expect(now).toMatchObject({
      revision: 2,
      words: [
        { text: 'Guten', time_start: 0.5, time_end: 0.9, confidence: 0.8 },
        { text: 'Abend,', time_start: 1, time_end: 1.5, confidence: 0.7 },
        { text: 'alle.', time_start: 1.5, time_end: 1.5, confidence: 1 },
      ],
    });
    expect(await texts(place, 1)).toEqual(said.map(({ text }) => text));
    expect(await texts(place)).toEqual(['Guten Abend, alle.', 'Willkommen daheim.', 'Danke.']);
  });

  it(`no edit of ${WRITERS} writers at once is lost, of one paragraph or of several`, async () => {
    const place = await transcribed(said);
    const marks = Array.from({ length: WRITERS }, (_, at) => `m${at}`);
    await Promise.all(marks.map((mark, at) => write(place, at % 2, mark)));
    const [one, two] = await read(place);
    const found = [...one!.text.split(' ').slice(2), ...two!.text.split(' ').slice(2)];
    expect(found.sort()).toEqual([...marks].sort());
    const newest = await reader.version(workspaceId, place.transcriptId, place.variantId);
    expect(newest.version.version).toBe(1 + WRITERS);
  });

  // In an embedded database there is one session: its transactions come one after the other, as the test before this one shows.
  // Which paragraphs meet, and over how many pages, is the same among 2,000 as among more.
  if (isShared) {
    it(`no edit of ${WRITERS} writers at once in ${MANY} paragraphs is lost`, async () => {
      const place = await transcribed(
        Array.from({ length: MANY }, (_, at) => ({ text: `Satz ${at}.`, start: at, end: at + 0.9 })),
      );
      // Each writes through the whole talk, one paragraph with the writer before and one with the next among them.
      const placesOf = (at: number) => [at * 80, ((at + 1) % WRITERS) * 80, MANY - 1 - at, MANY / 2 + 1 + at];
      const all = Array.from({ length: WRITERS }, (_, at) => placesOf(at).map((index) => ({ index, mark: `m${at}` })));
      await Promise.all(
        all.map(async (own) => {
          for (const { index, mark } of own) await write(place, index, mark);
        }),
      );
      const now = await reader.version(workspaceId, place.transcriptId, place.variantId);
      expect(now.version.version).toBe(1 + all.flat().length);
      const found: string[] = [];
      for (let offset = 0; offset < MANY; offset += 1_000) {
        const { paragraphs } = await reader.paragraphs(now, { offset, limit: 1_000 });
        for (const { index, text } of paragraphs) {
          const [words, ...marks] = text.split('. ');
          expect(words?.replace('.', '')).toBe(`Satz ${index}`);
          found.push(...marks.flatMap((each) => each.split(' ')).map((mark) => `${index} ${mark}`));
        }
      }
      const expected = all.flat().map(({ index, mark }) => `${index} ${mark}`);
      expect(found.sort()).toEqual(expected.sort());
    });
  }

  it('a change is refused where it would overwrite a later one, and later changes elsewhere are kept', async () => {
    const place = await transcribed(said);
    const [first, second, third] = await read(place);
    await edit(place, first!, 'Guten Tag.');
    await expect(edit(place, first!, 'Servus.')).rejects.toMatchObject({ code: 'CONFLICT' });
    await edit(place, second!, 'Willkommen zu Hause.');
    const save = (changes: object[]) =>
      writer.write(place, { base_version: 1, changes: changes as never }, { ifMatch: null });
    await expect(
      save([
        { id: third!.id, text: 'x' },
        { id: first!.id, text: 'y' },
      ]),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
      options: { errors: [{ pointer: '/changes/1', code: 'changed_since' }] },
    });
    await save([{ id: third!.id, remove: true }]);
    await expect(save([{ id: third!.id, text: 'x' }])).rejects.toMatchObject({
      options: { errors: [{ code: 'removed_since' }] },
    });
    expect(await texts(place)).toEqual(['Guten Tag.', 'Willkommen zu Hause.']);
  });

  it('the words of a version are aligned before it holds up other writers, and anew where one of them was faster', async () => {
    const long = (mark: string) => Array.from({ length: 2_000 }, (_, at) => `${mark}${at % 7}`).join(' ');
    const place = await transcribed([
      { text: 'Guten Abend.', start: 0, end: 9 },
      ...Array.from({ length: 12 }, (_, at) => ({ text: long('a'), start: 10 * at, end: 10 * at + 9 })),
    ]);
    const [first, ...others] = await read(place);
    const begun = statements.length;
    let isWritten = false;
    const changes = [first!, ...others].map(({ id }, at) => ({ id, text: at === 0 ? 'Guten Morgen.' : long('b') }));
    const version = writer.write(place, { changes }, { ifMatch: null }).then((row) => {
      isWritten = true;
      return row;
    });
    expect(await edit(place, first!, 'Guten Tag, alle.')).toMatchObject({ revision: 2 });
    expect([isWritten, statements.length > begun]).toEqual([false, true]);
    expect((await version).version).toBe(3);
    const now = await read(place);
    expect(now.map(({ text }) => text)).toEqual(changes.map(({ text }) => text));
    expect(now[0]!.words.map(({ text }) => text)).toEqual(['Guten', 'Morgen.']);
    expect(now.slice(1).every(({ words }) => words.length === 2_000)).toBe(true);
  });

  it('changes are told only where somebody asks for them, many by one statement', async () => {
    const place = await transcribed(said);
    const paragraphs = await read(place);
    const told = async (mark: string): Promise<number> => {
      const { length: before } = statements;
      const changes = paragraphs.map(({ id, text }) => ({ id, text: `${text} ${mark}` }));
      await writer.write(place, { changes }, { ifMatch: null });
      return statements.slice(before).filter((statement) => String(statement).includes('INTO outbox')).length;
    };
    expect(await told('eins')).toBe(0);
    const { manager } = database.dataSource;
    const event = 'svc.transcript.variant.version.paragraph.on_updated';
    const webhook = { id: randomUUID(), workspaceId, event, url: 'https://example.org/adit', secret: 's' };
    await manager.insert(WebhookEntity, webhook);
    expect(await told('zwei')).toBe(1);
    await manager.update(WebhookEntity, { id: webhook.id }, { enabled: false });
    expect(await told('drei')).toBe(0);
  });
});
