import { describe, expect, it } from '@jest/globals';
import {
  averagePrecision,
  coverage,
  distance,
  matchBoxes,
  matchRanked,
  overlap,
  purityOf,
  signTest,
  speakerShare,
  spokenWords,
  wilson,
  wordErrors,
} from './score.mjs';

describe('the scores of the evaluation', () => {
  it('overlap is intersection over union', () => {
    expect(overlap([0, 0, 2, 2], [1, 1, 2, 2])).toBeCloseTo(1 / 7);
    expect(overlap([0, 0, 1, 1], [1, 0, 1, 1])).toBe(0);
  });

  it('gives each label one box and counts the rest as false', () => {
    const labels = [
      [0, 0, 0.1, 0.1],
      [0.5, 0.5, 0.2, 0.2],
    ];
    const found = [
      [0.01, 0, 0.1, 0.1],
      [0, 0.01, 0.1, 0.1],
      [0.8, 0.8, 0.1, 0.1],
    ];
    expect(matchBoxes(labels, found)).toEqual({ found: 1, missed: 1, extra: 2, hits: [true, false] });
    expect(matchBoxes(labels, [])).toEqual({ found: 0, missed: 2, extra: 0, hits: [false, false] });
  });

  it('coverage counts samples shown and said, and samples said wrongly', () => {
    expect(coverage([0, 0.5, 1, 1.5, 2], [[0, 1]], [[0.5, 1.5]])).toEqual({ present: 3, hits: 2, wrong: 1 });
  });

  it('gives each person the speaker that suits best, no two the same', () => {
    const turns = [
      { start: 0, end: 10, speaker: 'Ada' },
      { start: 10, end: 20, speaker: 'Grace' },
    ];
    const word = (start: number, speaker: string | null) => ({ start, end: start + 1, speaker });
    const right = [word(1, 'Speaker 1'), word(5, 'Speaker 1'), word(12, 'Speaker 2')];
    expect(speakerShare(turns, right)).toEqual({ share: 1, seconds: 3, found: 2 });
    // One speaker for both is right for one alone; what lies in no turn does not count, what is nobody's is wrong.
    const one = [...right.slice(0, 2), word(12, 'Speaker 1'), word(14, null), word(30, 'Speaker 9')];
    expect(speakerShare(turns, one)).toEqual({ share: 0.5, seconds: 4, found: 2 });
    expect(speakerShare(turns, [])).toEqual({ share: 0, seconds: 0, found: 0 });
  });

  it('counts words that are replaced, left out or added, as they are said', () => {
    expect(spokenWords("Press 1, or don't – Größe!")).toEqual(['press', 'one', 'or', 'dont', 'größe']);
    expect(spokenWords('Appuyez sur 2 maintenant, s’il vous plaît', 'fr').slice(2, 5)).toEqual([
      'deux',
      'maintenant',
      'sil',
    ]);
    expect(spokenWords('presione 3, número', 'es')).toEqual(['presione', 'tres', 'numero']);
    expect(wordErrors('press one to leave', 'Press 1 to leave.')).toBe(0);
    expect(wordErrors('a b c d', 'a x c')).toBe(2);
    expect(wordErrors('a b', 'a new b')).toBe(1);
    expect(wordErrors('a b', '')).toBe(2);
    expect(wordErrors('', 'a')).toBe(1);
  });

  it('distance is Euclidean', () => {
    expect(distance([0, 3], [4, 0])).toBe(5);
  });
});

describe('what was said, the surest first', () => {
  const labelled = [
    { label: 'cup', box: [0, 0, 0.2, 0.2] },
    { label: 'cup', box: [0.5, 0, 0.2, 0.2] },
  ];

  it('gets each labelled thing once, of its own label', () => {
    const said = [
      { label: 'cup', box: [0, 0, 0.2, 0.2], confidence: 0.6 },
      { label: 'cup', box: [0.01, 0, 0.2, 0.2], confidence: 0.9 },
      { label: 'bowl', box: [0.5, 0, 0.2, 0.2], confidence: 0.8 },
    ];
    expect(matchRanked(labelled, said).map(({ ok }) => ok)).toEqual([true, false, false]);
  });

  it('has an average precision of 1 when all is found and nothing else', () => {
    const right = { confidence: 0.9, ok: true };
    expect(averagePrecision([right, { ...right, confidence: 0.5 }], 2)).toBe(1);
    expect(averagePrecision([right], 2)).toBe(0.5);
    expect(averagePrecision([right, { confidence: 0.99, ok: false }], 1)).toBe(0.5);
    expect(averagePrecision([], 0)).toBe(0);
  });

  it('says how sure a share is', () => {
    // Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
    expect(wilson(81, 263).map((value: number) => value.toFixed(4))).toEqual(['0.2553', '0.3662']);
    expect(wilson(15, 148).map((value: number) => value.toFixed(4))).toEqual(['0.0624', '0.1605']);
    expect(wilson(0, 20)[0]).toBe(0);
  });

  it('says how likely somebody is better by chance alone', () => {
    const wins = (ours: number, others: number): [boolean[], boolean[]] => [
      [...Array<boolean>(ours).fill(true), ...Array<boolean>(others).fill(false), true],
      [...Array<boolean>(ours).fill(false), ...Array<boolean>(others).fill(true), true],
    ];
    expect(signTest(...wins(0, 5))).toBeCloseTo(1 / 32);
    expect(signTest(...wins(1, 1))).toBeCloseTo(3 / 4);
    expect(signTest(...wins(0, 0))).toBe(1);
    expect(signTest(...wins(8, 0))).toBe(1);
  });

  it('purity counts what is of the kind that most of its cluster is', () => {
    const assigned: [string, string][] = [
      ['a', 'cat'],
      ['a', 'cat'],
      ['a', 'dog'],
      ['b', 'dog'],
    ];
    expect(purityOf(assigned)).toBe(3);
    expect(purityOf([])).toBe(0);
  });
});
