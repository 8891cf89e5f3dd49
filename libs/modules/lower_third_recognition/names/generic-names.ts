import { createRequire } from 'node:module';
import { foldName } from './fold-name.js';

/** First and last names, and names of towns, regions and countries, folded. */
export interface GenericNames {
  first: ReadonlySet<string>;
  last: ReadonlySet<string>;
  places: ReadonlySet<string>;
}

let loaded: Promise<GenericNames> | null = null;

/**
 * Loads the generic name dictionary once: the first and last names of every locale in Latin script of Faker
 * (`@faker-js/faker`, MIT), some 30 languages, with its places, and the first names of gender-detection-from-name
 * (MIT), which include older people's.
 */
export function genericNames(): Promise<GenericNames> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<GenericNames> {
  const { allLocales } = await import('@faker-js/faker');
  const first = new Set<string>();
  const last = new Set<string>();
  const places = new Set<string>();
  for (const { metadata, person, location } of Object.values(allLocales)) {
    if (metadata?.script !== 'Latn') continue;
    addAll(first, person?.first_name);
    addAll(last, person?.last_name);
    for (const names of [location?.city_name, location?.state, location?.county, location?.country]) {
      for (const name of Object.values(names ?? {})) if (typeof name === 'string') places.add(foldName(name));
    }
  }
  const require = createRequire(import.meta.url);
  for (const language of FIRST_NAMES) {
    const names: Iterable<[name: string, gender: string]> = require(`gender-detection-from-name/names/${language}.js`);
    addAll(first, { names: Array.from(names, ([name]) => name) });
  }
  return { first, last, places };
}

/** English is omitted, since nearly every word has been a name there. */
const FIRST_NAMES = ['de', 'es', 'fr', 'it', 'tr'];

/** Words of at most one letter are no names. */
function addAll(names: Set<string>, lists: object | null | undefined): void {
  for (const name of Object.values(lists ?? {}).flat()) {
    if (typeof name !== 'string') continue;
    for (const word of foldName(name).split(' ')) if (word.length > 1) names.add(word);
  }
}
