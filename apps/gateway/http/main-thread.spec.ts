import { checkDictionaryFile } from '@adit/dictionaries';
import { leastLongestTurn } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { languageOf } from '../dictionaries/language-detection.js';
import { boundedJson } from './bodies/bounded-json.js';

/** Work of more than 50 ms of CPU leaves the main thread; the slowest machines get twice that. */
const MAX_MS = 100;

const members = (count: number, member: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => member(at)).join();

/** The known offenders; how galleries are searched is in libs/modules/galleries/match.spec.ts. */
/** @hardening overload: Long work holds the event loop */
describe('the main thread yields often', () => {
  const bodies: [string, string][] = [
    [
      '3.8 MB of module names',
      `{"sources":["storage://x"],"modules":{${members(190_000, (at) => `"module_${at}":{}`)}}}`,
    ],
    ['400,000 unknown keys', `{${members(400_000, (at) => `"k${at}":1`)}}`],
    ['a job of 10,000 pictures', `{"sources":[${members(10_000, (at) => `"https://example.org/films/${at}.jpg"`)}]}`],
    ['a string of 8 MB', JSON.stringify({ tag: 'a"'.repeat(2_500_000) })],
  ];
  it.each(bodies)('the main thread yields during %s', async (_, text) => {
    const body = Buffer.from(text);
    const milliseconds = await leastLongestTurn(MAX_MS, async () => {
      try {
        boundedJson(body);
      } catch {
        // It may be refused.
      }
      return Promise.resolve();
    });
    expect(milliseconds).toBeLessThan(MAX_MS);
  });

  it('the main thread yields for a dictionary of 100,000 lines whose language is detected', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => `der Hund ${at}`).join('\n'));
    const milliseconds = await leastLongestTurn(MAX_MS, async () => {
      const { sample } = await checkDictionaryFile('a workspace', bytes, 'simple');
      return languageOf(sample);
    });
    expect(milliseconds).toBeLessThan(MAX_MS);
  }, 60_000);
});
