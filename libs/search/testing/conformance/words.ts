import { expect, it } from '@jest/globals';
import type { SearchWorld } from './search-world.js';

/** What words find. */
export function wordsConformance(world: SearchWorld): void {
  const { archive, find, numbers } = world;

  it('finds words in any field, or in the one that is named', async () => {
    const { workspaceId } = await archive(
      { who: 'Anna Weber' },
      { what: 'anna hummingbird', language: 'en' },
      { said: 'Anna ist hier', language: 'de', who: 'Speaker 1' },
      { written: 'Anna' },
      { where: 'Anna Amalia Library, Weimar' },
    );
    expect(await numbers(workspaceId, 'anna')).toEqual([0, 1, 2, 3, 4]);
    for (const [at, field] of ['who', 'what', 'said', 'written', 'where'].entries()) {
      expect(await find(workspaceId, `${field}:anna`)).toEqual([at]);
    }
    expect(await find(workspaceId, 'who:"speaker 1" said:anna')).toEqual([2]);
  });

  it('joins words by AND, OR and NOT, in parentheses', async () => {
    const { workspaceId } = await archive(
      { said: 'red car' },
      { said: 'blue car' },
      { said: 'red bus' },
      { said: 'green bike' },
    );
    expect(await numbers(workspaceId, 'red car')).toEqual([0]);
    expect(await numbers(workspaceId, 'red OR car')).toEqual([0, 1, 2]);
    expect(await numbers(workspaceId, 'car NOT red')).toEqual([1]);
    expect(await numbers(workspaceId, '(red OR green) AND NOT (car OR bike)')).toEqual([2]);
    expect(await numbers(workspaceId, 'red (car OR bus) NOT bus')).toEqual([0]);
  });

  it('finds phrases as they are, and stop words in them', async () => {
    const { workspaceId } = await archive(
      { said: 'To be or not to be', language: 'en' },
      { said: 'not to be seen', language: 'en' },
      { said: 'evening good', language: 'en' },
      { said: 'a good evening', language: 'en', who: 'Anna' },
    );
    expect(await numbers(workspaceId, '"to be or not"')).toEqual([0]);
    expect(await numbers(workspaceId, '"not to be"')).toEqual([0, 1]);
    expect(await numbers(workspaceId, '"good evening"')).toEqual([3]);
    // No phrase goes from one text into another.
    expect(await numbers(workspaceId, '"evening anna"')).toEqual([]);
  });

  it('finds inflections by language, unless they are quoted', async () => {
    const { workspaceId } = await archive(
      { said: 'Die Häuser stehen leer', language: 'de' },
      { said: 'The budgets were cut', language: 'en' },
      { said: 'Nous avons parlé ensemble', language: 'fr' },
    );
    expect(await find(workspaceId, 'Haus', { fuzzy: false })).toEqual([0]);
    expect(await find(workspaceId, 'budget', { fuzzy: false })).toEqual([1]);
    expect(await find(workspaceId, 'parler', { fuzzy: false })).toEqual([2]);
    expect(await find(workspaceId, '"budget"')).toEqual([]);
    expect(await find(workspaceId, 'budget', { fuzzy: false, language: 'de' })).toEqual([]);
  });

  it('finds words of languages without stems, without blanks, and without their accents', async () => {
    const { workspaceId } = await archive(
      { said: '東京都庁の展望台に登りました', language: 'ja' },
      { said: '我们在北京天安门广场', language: 'zh' },
      { said: 'Příliš žluťoučký kůň', language: 'cs' },
      { who: 'Łukasz Müßig' },
    );
    expect(await find(workspaceId, '展望台')).toEqual([0]);
    expect(await find(workspaceId, '北京')).toEqual([1]);
    expect(await find(workspaceId, 'zlutoucky')).toEqual([2]);
    expect(await find(workspaceId, 'who:"lukasz mussig"')).toEqual([3]);
  });

  it('finds parts of compounds and misspelt words behind exact ones, where it can', async () => {
    const { workspaceId } = await archive(
      { said: 'Das Krankenhaus liegt am Stadtrand', language: 'de' },
      { said: 'Der Haushalt', language: 'de' },
      { said: 'unser Haus am langen weiten See', language: 'de' },
      { who: 'Schwarzenegger' },
      { said: 'hausen', who: 'Schwarz' },
    );
    expect(await world.index.isFuzzy()).toBe(world.isFuzzy);
    expect(await find(workspaceId, 'Krankenhaus')).toEqual([0]);
    if (!world.isFuzzy) {
      expect(await find(workspaceId, 'haus')).toEqual([2]);
      return expect(await find(workspaceId, 'schwarzeneger')).toEqual([]);
    }
    expect((await find(workspaceId, 'haus'))[0]).toBe(2);
    expect(await numbers(workspaceId, 'haus')).toEqual(expect.arrayContaining([0, 1, 2]));
    expect(await find(workspaceId, 'schwarzeneger')).toContain(3);
    expect(await find(workspaceId, 'who:schwarzeneger')).toContain(3);
    expect(await find(workspaceId, 'said:schwarzeneger')).toEqual([]);
    expect(await find(workspaceId, 'schwarzeneger', { fuzzy: false })).toEqual([]);
    expect(await find(workspaceId, '"schwarzeneger"')).toEqual([]);
    // What is excluded is meant exactly.
    expect(await find(workspaceId, 'krankenhau NOT stadt')).toEqual([0]);
    // Each of several words may be misspelt, in a word of its own.
    expect(await find(workspaceId, 'krankenhas stadtrnd')).toEqual([0]);
    expect(await find(workspaceId, 'krankenhas-stadtrnd')).toEqual([0]);
  });

  it('takes any text, as long as it may be', async () => {
    const odd = `it's 'quoted' \\ back:slash <-> & | ! * (a) "b" \u{1f600} ${'x'.repeat(3000)} `;
    const { workspaceId } = await archive(
      { said: odd, language: 'en' },
      { said: `${'la '.repeat(40_000)}end`, language: 'en' },
    );
    expect(await find(workspaceId, 'quoted')).toEqual([0]);
    expect(await find(workspaceId, `"it's"`)).toEqual([0]);
    expect(await find(workspaceId, 'la')).toEqual([1]);
    expect(await world.index.stems('en', ['the', 'cars'])).toEqual([[], ['car']]);
    expect(await world.index.stems(null, ['cars'])).toEqual([[]]);
  });
}
