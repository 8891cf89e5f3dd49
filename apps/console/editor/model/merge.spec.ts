import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changesOf, split, withSpeaker, withText, without } from './edits.js';
import { merge, settled } from './merge.js';
import type { Paragraph, Paragraphs } from './paragraph.js';

const base: Paragraphs = ['one', 'two', 'three'].map((text, at) => ({
  ...{ id: text, revision: 1, text, speaker: null, time_start: at, time_end: at + 1, words: [] },
}));
const textsOf = (paragraphs: Paragraphs) => paragraphs.map(({ text, speaker }) => (speaker ?? '') + text);
/** As the service would have it. */
const saved = (paragraphs: Paragraphs): Paragraphs =>
  paragraphs.map((each) => (base.includes(each) ? each : { ...each, revision: 2 }));

describe('what two people wrote', () => {
  it('comes together where they changed different paragraphs', () => {
    const merged = merge(base, withText(base, 'one', 'mine'), saved(withText(base, 'three', 'theirs')));
    expect(merged).toMatchObject({ conflicts: [], taken: 1 });
    expect(textsOf(merged.paragraphs)).toEqual(['mine', 'two', 'theirs']);
  });

  it('comes together in one paragraph when one changed the text and the other the speaker', () => {
    const merged = merge(base, withText(base, 'one', 'mine'), saved(withSpeaker(base, 'one', 'Ada: ')));
    expect(merged.conflicts).toEqual([]);
    expect(textsOf(merged.paragraphs)).toEqual(['Ada: mine', 'two', 'three']);
  });

  it('is no conflict when it is the same', () => {
    const merged = merge(base, withText(base, 'one', 'same'), saved(withText(base, 'one', 'same')));
    expect(merged.conflicts).toEqual([]);
    expect(merged.paragraphs[0]).toMatchObject({ text: 'same', revision: 2 });
  });

  it('is a conflict where both wrote another text; mine stands until it is settled', () => {
    const theirs = saved(withText(base, 'two', 'theirs'));
    const { paragraphs, conflicts } = merge(base, withText(base, 'two', 'mine'), theirs);
    expect(conflicts).toMatchObject([
      { id: 'two', base: { text: 'two' }, mine: { text: 'mine' }, theirs: { text: 'theirs' } },
    ]);
    const [conflict] = conflicts;
    if (conflict === undefined) throw new Error('There was none.');
    expect(textsOf(settled(paragraphs, conflict, 'mine'))).toEqual(['one', 'mine', 'three']);
    expect(changesOf(theirs, settled(paragraphs, conflict, 'mine'))).toEqual([{ id: 'two', text: 'mine' }]);
    expect(changesOf(theirs, settled(paragraphs, conflict, 'theirs'))).toEqual([]);
  });

  it('is a conflict where one deleted what the other changed', () => {
    const gone = without(base, 'two');
    const mine = merge(base, withText(base, 'two', 'mine'), gone);
    expect(mine.conflicts).toMatchObject([{ id: 'two', theirs: null }]);
    expect(textsOf(mine.paragraphs)).toEqual(['one', 'mine', 'three']);
    const [conflict] = mine.conflicts;
    if (conflict === undefined) throw new Error('There was none.');
    expect(textsOf(settled(mine.paragraphs, conflict, 'theirs'))).toEqual(['one', 'three']);
    // It is written anew behind what it stood behind.
    expect(changesOf(gone, mine.paragraphs)).toMatchObject([{ after: 'one', text: 'mine' }]);

    const theirs = saved(withText(base, 'two', 'theirs'));
    const other = merge(base, gone, theirs);
    expect(other.conflicts).toMatchObject([{ id: 'two', mine: null }]);
    expect(textsOf(other.paragraphs)).toEqual(['one', 'theirs', 'three']);
  });

  it('is not written twice when the answer to a save was lost', () => {
    const mine = split(base, 'three', 2, 'new-1');
    const theirs = mine.map((each) => (each.id === 'new-1' ? { ...each, id: 'of the service' } : each));
    expect(merge(base, mine, theirs).paragraphs.map(({ id }) => id)).toEqual(['one', 'two', 'three', 'of the service']);
  });

  it('keeps every edit of both that is no conflict, in the order of the paragraphs', () => {
    const edit = fc.record({ at: fc.nat(11), text: fc.constantFrom('x', 'y', null) });
    const list: Paragraphs = Array.from({ length: 12 }, (_, at) => ({
      ...(base[0] as Paragraph),
      ...{ id: String(at), text: `text ${at}` },
    }));
    const edited = (edits: { at: number; text: string | null }[], who: string): Paragraphs =>
      edits.reduce(
        (now: Paragraphs, { at, text }) =>
          text === null ? without(now, String(at)) : withText(now, String(at), `${who}${text}`),
        list,
      );
    fc.assert(
      fc.property(fc.array(edit), fc.array(edit), (own, other) => {
        const [mine, theirs] = [edited(own, 'm'), edited(other, 't')];
        const { paragraphs, conflicts } = merge(list, mine, theirs);
        const inConflict = new Set(conflicts.map(({ id }) => id));
        const ids = paragraphs.map(({ id }) => Number(id));
        expect(ids).toEqual([...ids].sort((a, b) => a - b));
        for (const { id, text } of list) {
          if (inConflict.has(id)) continue;
          const [my, their, now] = [mine, theirs, paragraphs].map((all) => all.find((each) => each.id === id)?.text);
          expect(now).toBe(my === text ? their : my);
        }
      }),
    );
  });
});
