import { describe, expect, it } from '@jest/globals';
import { elected, languageAmong, SpokenLanguages, type Spoken, type Vote } from './language.js';

const LANGUAGES = ['en', 'de', 'es', 'gl'];
const vote = (weight: number, ...likely: number[]): Vote => ({ weight, likely: Float64Array.from(likely) });
const namesOf = (spoken: readonly Spoken[] | null): string[] => spoken?.map(({ language }) => language) ?? [];

describe('the detected languages of a recording', () => {
  it('are that of most voices, despite a misdetected excerpt or two', () => {
    const german = [vote(7, 0.01, 0.98, 0.01, 0), vote(6, 0.2, 0.7, 0.1, 0), vote(7, 0.02, 0.97, 0.01, 0)];
    const names = vote(5, 0.95, 0.05, 0, 0);
    expect(namesOf(elected([names, ...german], LANGUAGES))).toEqual(['de']);
    expect(elected([names, ...german], LANGUAGES)?.[0]?.probability).toBeCloseTo(0.7232);
  });

  it('are not two where they are similar and no excerpt is sure of the second', () => {
    expect(
      namesOf(elected([vote(5, 0, 0, 0.55, 0.45), vote(5, 0, 0, 0.4, 0.6), vote(5, 0, 0, 0.7, 0.3)], LANGUAGES)),
    ).toEqual(['es']);
  });

  it('are two where each is surely spoken for a third of the time', () => {
    const interview = [vote(6, 0.97, 0.03, 0, 0), vote(6, 0.02, 0.98, 0, 0), vote(6, 0.01, 0.99, 0, 0)];
    const spoken = elected(interview, LANGUAGES) ?? [];
    expect(namesOf(spoken)).toEqual(['en', 'de']);
    expect(languageAmong(spoken, Float64Array.of(0.9, 0.05, 0.05, 0), LANGUAGES).language).toBe('en');
    expect(languageAmong(spoken, Float64Array.of(0.01, 0.2, 0.79, 0), LANGUAGES).language).toBe('de');
  });

  it('are unknown where nobody speaks', () => {
    expect(elected([], LANGUAGES)).toBeNull();
  });

  it('are detected once, and again after an aborted detection', async () => {
    const languages = new SpokenLanguages();
    const spoken = [{ language: 'de', probability: 1 }];
    const broken = () => Promise.reject(new Error('broken off'));
    await expect(languages.of('a', broken)).rejects.toThrow('broken off');
    expect(await languages.of('a', () => Promise.resolve(spoken))).toBe(spoken);
    expect(await languages.of('a', broken)).toBe(spoken);
    expect(await languages.of('b', () => Promise.resolve(null))).toBeNull();
    expect(await languages.of('b', broken)).toBeNull();
  });
});
