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

  it('takes a single name only when asked to', () => {
    expect(find('Käthe')).toBeNull();
    expect(nameFinder({ ...NONE, generic, single: true })('Käthe')).toEqual({ name: 'Käthe', fromDictionary: true });
  });
});

describe('dictionaries of the client', () => {
  it('come first, forgive a misread letter and write the name as they do', () => {
    const own = nameFinder({ ...NONE, own: [list('Qworld Xyzzy')], generic });
    expect(own('Qworid Xyzzy, CEO')).toEqual({ name: 'Qworld Xyzzy', fromDictionary: false });
    expect(own('Jürgen Großmann')).toEqual({ name: 'Jürgen Großmann', fromDictionary: true });
  });

  it('of the second kind are asked about lines without a name', () => {
    const second = nameFinder({ ...NONE, secondary: [list('Utrikespolitisk talesperson')], generic });
    expect(second('Utrikespolitisk talesperson')).toEqual({
      name: 'Utrikespolitisk talesperson',
      fromDictionary: false,
    });
  });

  it('or none at all: what is written like a name is one', () => {
    expect(nameFinder({ ...NONE, generic: null })('Qworld Xyzzy')).toEqual({
      name: 'Qworld Xyzzy',
      fromDictionary: false,
    });
  });
});

describe('two readings', () => {
  it.each([
    ['Jürgen Großmann', 'Jurgen Grossmarin', true],
    ['Jürgen Großmann', 'JURGEN GROSSMAN', true],
    ['Anna Berg', 'Anna Bach', false],
    ['Łukasz Wójcik', 'Lukasz Wojcik', true],
  ])('%s and %s', (a, b, same) => {
    expect(sameName(a, b)).toBe(same);
  });
});
