import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changesOf, joined, renamed, split, withSpeaker, withText, without } from './edits.js';
import { piecesOf, wordsOf, type Paragraph } from './paragraph.js';

/** Words of a second each. */
function paragraph(id: string, text: string, start = 0, speaker: string | null = null): Paragraph {
  const words = text.split(' ').map((word, at) => ({
    ...{ text: word, time_start: start + at, time_end: start + at + 1, confidence: 0.5 },
  }));
  return { id, revision: 1, text, speaker, time_start: start, time_end: start + words.length, words };
}

const two = [paragraph('a', 'good evening everybody'), paragraph('b', 'welcome back', 3, 'Ada')];

describe('the pieces of a text', () => {
  it('are its words and what lies between them', () => {
    const { words } = paragraph('a', 'Ei, ei!');
    expect(piecesOf({ text: '„Ei, ei!“', words }).map(({ text, word }) => [text, word])).toEqual([
      ['„', null],
      ['Ei,', 0],
      [' ', null],
      ['ei!', 1],
      ['“', null],
    ]);
  });

  it('are the text, whatever the words are', () => {
    const words = fc.array(fc.string().map((text) => ({ text, time_start: 0, time_end: 0, confidence: 1 })));
    fc.assert(
      fc.property(fc.string(), words, (text, some) => {
        expect(
          piecesOf({ text, words: some })
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

describe('the words of an edited text', () => {
  it('keep their times where they stayed, and share the time of those that went', () => {
    const [before] = two as [Paragraph, Paragraph];
    const words = wordsOf(before, 'good morning to everybody');
    expect(words.map(({ text, time_start, time_end }) => [text, time_start, time_end])).toEqual([
      ['good', 0, 1],
      ['morning', 1, 1 + 7 / 9],
      ['to', 1 + 7 / 9, 2],
      ['everybody', 2, 3],
    ]);
  });

  it('are those of the text, in order, within the paragraph', () => {
    const texts = fc.array(fc.constantFrom('a', 'bb', 'ccc')).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const old = paragraph('a', before);
        const words = wordsOf({ ...old, words: before === '' ? [] : old.words }, after);
        expect(words.map(({ text }) => text)).toEqual(after.match(/\S+/g) ?? []);
        const times = words.flatMap(({ time_start, time_end }) => [time_start, time_end]);
        expect(times).toEqual([...times].sort((a, b) => a - b));
        for (const time of times) expect(time >= old.time_start && time <= old.time_end + 1e-9).toBe(true);
      }),
    );
  });
});

describe('an edit', () => {
  it('changes nothing but its paragraph, and nothing at all when it says the same', () => {
    const next = withText(two, 'a', 'good night');
    expect(next[0]?.text).toBe('good night');
    expect(next[1]).toBe(two[1]);
    expect(withText(two, 'a', 'good evening everybody')).toBe(two);
    expect(withSpeaker(two, 'b', 'Ada')).toBe(two);
    expect(withSpeaker(two, 'nobody', 'Ada')).toBe(two);
  });

  it('splits where the caret is, words and times too', () => {
    const next = split(two, 'a', 'good '.length, 'new');
    expect(next.map(({ text, time_start, time_end }) => [text, time_start, time_end])).toEqual([
      ['good', 0, 1],
      ['evening everybody', 1, 3],
      ['welcome back', 3, 5],
    ]);
    expect(next[1]?.words.map(({ time_start }) => time_start)).toEqual([1, 2]);
    expect(split(two, 'a', 0, 'new')).toBe(two);
    expect(split(two, 'a', 100, 'new')).toBe(two);
  });

  it('joins with the one before, and knows where they meet', () => {
    const whole = joined(two, 'b');
    expect(whole).toMatchObject({ into: 'a', at: 'good evening everybody '.length });
    expect(whole?.paragraphs).toMatchObject([
      { text: 'good evening everybody welcome back', time_start: 0, time_end: 5 },
    ]);
    expect(joined(two, 'a')).toBeNull();
  });
});

describe('what is sent', () => {
  it('is what has changed, and nothing when it was changed back', () => {
    expect(changesOf(two, two)).toEqual([]);
    expect(changesOf(two, withText(withText(two, 'a', 'x'), 'a', 'good evening everybody'))).toEqual([]);
    expect(changesOf(two, withText(two, 'a', 'good night'))).toEqual([{ id: 'a', text: 'good night' }]);
    expect(changesOf(two, renamed(two, 'Ada', 'Grace'))).toEqual([{ id: 'b', speaker: 'Grace' }]);
    expect(changesOf(two, without(two, 'a'))).toEqual([{ id: 'a', remove: true }]);
  });

  it('names for what is new the one that it stands behind, which the service has', () => {
    const twice = split(split(two, 'a', 5, 'new-1'), 'new-1', 8, 'new-2');
    expect(changesOf(two, twice)).toEqual([
      { id: 'a', text: 'good', time_end: 1 },
      { after: 'a', text: 'evening', speaker: null, time_start: 1, time_end: 2 },
      { after: 'a', text: 'everybody', speaker: null, time_start: 2, time_end: 3 },
    ]);
    const [first] = split(two, 'a', 5, 'new').slice(1);
    expect(changesOf(two, [first as Paragraph, ...two])[0]).toMatchObject({ after: null });
  });
});
