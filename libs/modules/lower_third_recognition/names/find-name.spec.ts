import * as faker from '@faker-js/faker';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LoadedDictionary } from '@adit/dictionaries';
import { nameFinder, type NameFinder } from './find-name.js';
import { genericNames, type GenericNames } from './generic-names.js';
import { sameName } from './same-name.js';

let generic: GenericNames;
let find: NameFinder;
const NONE = { own: [], secondary: [], single: false };
const list = (...sources: string[]): LoadedDictionary => ({
  name: 'list',
  type: 'simple',
  language: 'any',
  entries: sources.map((source) => ({ source, target: null })),
});

beforeAll(async () => {
  generic = await genericNames();
  find = nameFinder({ ...NONE, generic });
});

describe('the generic name dictionary', () => {
  it.each([
    ['Dr. Jürgen Großmann', 'Jürgen Großmann'],
    ['JÜRGEN GROSSMANN', 'JÜRGEN GROSSMANN'],
    ['Ursula von der Leyen, Brüssel', 'Ursula von der Leyen'],
    ['Łukasz Wójcik', 'Łukasz Wójcik'],
    ['João Gonçalves | Lisboa', 'João Gonçalves'],
    ['İbrahim Çağlar', 'İbrahim Çağlar'],
    ['Anna-Lena Sjöberg', 'Anna-Lena Sjöberg'],
  ])('finds the name in %s', (line, name) => {
    expect(find(line)).toEqual({ name, fromDictionary: true });
  });

  it.each([
    'Bundesministerin für Bildung',
    'Alcaldesa de Logroño',
    'Utrikespolitisk talesperson',
    '20:15 Uhr',
    'LIVE',
    '',
  ])('finds none in %j', (line) => {
    expect(find(line)).toBeNull();
  });

  it.each([
    // Functions with their places, which would be names otherwise.
    ...['Mayor of Charlotte Amalie', 'MAYOR OF SAN DIEGO', 'mayor of St. Louis', 'Governor of Puerto Rico'],
    ...['Bürgermeisterin von Sankt Augustin', 'Sprecher, Robert Koch-Institut', 'Oberbürgermeister von Halle'],
    ...['Maire de Saint Denis', 'Porte-parole d’Emmanuel Macron', 'Médecin, Hôpital Henri Mondor'],
    ...['Alcaldesa de San José', 'alcalde de Ciudad Juárez', 'Directora del Hospital San Juan de Dios'],
    ...['Burmistrz Kazimierza Dolnego', 'Prezydent Rudy Śląskiej', 'Rektor Uniwersytetu Jana Pawła'],
    ...['Primátorka Karlových Varů', 'Starosta Nové Paky', 'Ředitelka Divadla Josefa Kajetána Tyla'],
    ...['Médica, São João', 'Prefeita de São Paulo', 'Presidente da Câmara de Rio Maior'],
    ...['Borgmästare i Sankt Erik', 'Rektor för Anna Lindh-skolan', 'Landshövding i Nya Zeeland'],
    ...['Deniz Kuvvetleri Komutanı', 'Adana Belediye Başkanı', 'Kemal Sunal Lisesi Müdürü'],
    ...['Virginia Beach', 'San Francisco', 'Buenos Aires'],
  ])('finds none in %s', (line) => {
    expect(find(line)).toBeNull();
  });

  it.each([
    ['Mayor of San Diego Todd Gloria', 'Todd Gloria'],
    ['John Smith, Mayor of San Diego', 'John Smith'],
    ['Ministra de Educación Pilar Alegría', 'Pilar Alegría'],
    ['Bundeskanzler Olaf Scholz', 'Olaf Scholz'],
    ['Anna Schmidt Reporterin', 'Anna Schmidt'],
    ['Reporterin, Anna Schmidt', 'Anna Schmidt'],
    ['Economist, Charité Berlin, James Miller', 'James Miller'],
    ['Karl Heinz Richter', 'Karl Heinz Richter'],
    ['Prezydent Andrzej Duda', 'Andrzej Duda'],
    ['Diego García', 'Diego García'],
    ['Cumhurbaşkanı Kemal Sunal', 'Kemal Sunal'],
    ['Charlotte Church', 'Charlotte Church'],
    ['Yves Saint Laurent', 'Yves Saint Laurent'],
  ])('finds the person in %s', (line, name) => {
    expect(find(line)?.name).toBe(name);
  });

  it.each([
    ['German', faker.fakerDE, ['Bürgermeister von', 'Ministerin für Kultur,', 'Ärztin,']],
    ['French', faker.fakerFR, ['Maire de', 'Députée de', 'Président du conseil de', 'Médecin,']],
    ['Spanish', faker.fakerES, ['Alcaldesa de', 'Ministro de Cultura de', 'Directora del hospital de', 'Médica,']],
    ['Polish', faker.fakerPL, ['Burmistrz miasta', 'Rzecznik policji w', 'Poseł,', 'Prezydent miasta']],
    ['Czech', faker.fakerCS_CZ, ['Primátor města', 'Starostka obce', 'Mluvčí policie,', 'Lékařka,']],
    ['Portuguese', faker.fakerPT_PT, ['Presidente da Câmara de', 'Prefeita de', 'Médica,', 'Vereador de']],
    ['Swedish', faker.fakerSV, ['Borgmästare i', 'Läkare,', 'Polischef i', 'Landshövding i']],
    ['Turkish', faker.fakerTR, ['Öğretmen,', 'Gazeteci,', 'Doktor,', 'Muhabir,']],
    ['English', faker.fakerEN_US, ['Mayor of', 'Governor of', 'Reporter,', 'Sheriff of']],
  ])('tells people from functions with a place in %s', (_, made, functions) => {
    made.seed(5);
    const people = Array.from({ length: 100 }, () => `${made.person.firstName('female')} ${made.person.lastName()}`);
    expect(people.filter((name) => find(name) === null)).toEqual([]);
    const held = Array.from({ length: 300 }, (_, i) => `${functions[i % functions.length]} ${made.location.city()}`);
    // Towns have composed names in some languages, and are never all known.
    expect(held.filter((line) => find(line) !== null).length).toBeLessThanOrEqual(3);
  });

  it('takes for a name what stands over a function and is written like one', () => {
    expect(find('Wisława Szymborska')).toBeNull();
    expect(find('Wisława Szymborska', 'Poetka, noblistka')).toEqual({
      name: 'Wisława Szymborska',
      fromDictionary: false,
    });
    expect(find('Dr. Qworld Xyzzy', 'Geschäftsführerin')?.name).toBe('Qworld Xyzzy');
    for (const [line, below] of [
      ['Wisława Szymborska', 'Kraków'],
      ['Universität Tübingen', 'Ärztin'],
      ['Breaking news tonight', 'Reporter'],
      ['Breaking News', 'Prime minister resigns'],
      ['BREAKING NEWS', 'MAYOR OF LONDON RESIGNS'],
      ['Pilne Wiadomości', 'Minister rezygnuje'],
      ['San Francisco', 'Bürgermeisterin London Breed'],
    ] as const) {
      expect(find(line, below)).toBeNull();
    }
  });

  it('takes a single name only on request', () => {
    expect(find('Käthe')).toBeNull();
    expect(nameFinder({ ...NONE, generic, single: true })('Käthe')).toEqual({ name: 'Käthe', fromDictionary: true });
  });
});

describe('dictionaries of the client', () => {
  it('come first, tolerate a misread letter and correct the spelling', () => {
    const own = nameFinder({ ...NONE, own: [list('Qworld Xyzzy')], generic });
    expect(own('Qworid Xyzzy, CEO')).toEqual({ name: 'Qworld Xyzzy', fromDictionary: false });
    expect(own('Jürgen Großmann')).toEqual({ name: 'Jürgen Großmann', fromDictionary: true });
  });

  it('of the second kind apply to lines without a name', () => {
    const second = nameFinder({ ...NONE, secondary: [list('Utrikespolitisk talesperson')], generic });
    expect(second('Utrikespolitisk talesperson')).toEqual({
      name: 'Utrikespolitisk talesperson',
      fromDictionary: false,
    });
  });

  it('may be absent: any text written like a name is one', () => {
    expect(nameFinder({ ...NONE, generic: null })('Qworld Xyzzy')).toEqual({
      name: 'Qworld Xyzzy',
      fromDictionary: false,
    });
  });
});

describe('two readings are compared as names:', () => {
  it.each([
    ['Jürgen Großmann', 'Jurgen Grossmarin', true],
    ['Jürgen Großmann', 'JURGEN GROSSMAN', true],
    ['Anna Berg', 'Anna Bach', false],
    ['Łukasz Wójcik', 'Lukasz Wojcik', true],
  ])('%s and %s', (a, b, same) => {
    expect(sameName(a, b)).toBe(same);
  });
});
