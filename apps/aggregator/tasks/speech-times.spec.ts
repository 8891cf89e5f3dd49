import { describe, expect, it } from '@jest/globals';
import type { PersonShown } from '@adit/contracts';
import fc from 'fast-check';
import { SpeechClock, type Caption } from './speech-times.js';

const person = (label: string | null, shown: number[], gender = 'female', age = '30-44'): PersonShown => ({
  ...{ label, listed: true, gender, age, shown },
});
function timesOf(people: PersonShown[], said: [number, number][], captions: Caption[] = []) {
  const clock = new SpeechClock(people);
  for (const [start, end] of said) clock.addSpeech({ start, end });
  return clock.times(captions);
}

describe('speaking times', () => {
  it('belong to the people on screen, in equal parts, and to nobody where there is none', () => {
    const people = [person('Ada', [0, 10]), person(null, [5, 10, 20, 30], 'male', '45-59')];
    expect(
      timesOf(people, [
        [1, 3],
        [6, 8],
        [9, 25],
      ]),
    ).toEqual({
      gender: { female: 3.5, male: 6.5 },
      age: { '30-44': 3.5, '45-59': 6.5 },
      name: { Ada: 3.5, Unknown: 6.5 },
    });
    expect(timesOf([], [[0, 5]])).toEqual({ gender: {}, age: {}, name: {} });
  });

  it('of unknown people have the name of captions while they are alone, and of known people their own', () => {
    const people = [person(null, [0, 10]), person('Ada', [8, 20])];
    const captions = [
      { name: 'Jo Weber', start: 1, end: 4 },
      { name: 'Somebody Else', start: 8, end: 10 },
      { name: 'Wrong', start: 12, end: 18 },
    ];
    expect(
      timesOf(
        people,
        [
          [0, 2],
          [12, 13],
        ],
        captions,
      ).name,
    ).toEqual({ 'Jo Weber': 2, Ada: 1 });
  });

  it('have no names that dictionaries leave out', () => {
    expect(timesOf([{ ...person(null, [0, 10]), listed: false }], [[0, 2]])).toMatchObject({
      gender: { female: 2 },
      name: {},
    });
  });

  it('add up to no more than the speech, and for nobody to more than they are shown', () => {
    const spans = (most: number) =>
      fc
        .uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: most })
        .map((times) => times.sort((a, b) => a - b).slice(0, times.length - (times.length % 2)));
    fc.assert(
      fc.property(fc.array(spans(8), { maxLength: 6 }), spans(20), (shown, said) => {
        const people = shown.map((times, at) => person(`P${at}`, times));
        const heard = said.flatMap((time, at): [number, number][] => (at % 2 === 0 ? [] : [[said[at - 1] ?? 0, time]]));
        const { name, gender } = timesOf(people, heard);
        const all = (record: Record<string, number>) => Object.values(record).reduce((sum, one) => sum + one, 0);
        const length = (times: number[]) => times.reduce((sum, time, at) => sum + (at % 2 === 0 ? -time : time), 0);
        expect(all(name)).toBeLessThanOrEqual(length(said) + 1e-9);
        expect(all(gender)).toBeCloseTo(all(name), 9);
        for (const [at, times] of shown.entries()) {
          expect(name[`P${at}`] ?? 0).toBeLessThanOrEqual(length(times) + 1e-9);
        }
      }),
    );
  });
});
