import nlp from 'compromise';
import { z } from 'zod';

/** A name in a text. */
export type Entity = { text: string; type: 'person' | 'place' | 'organization' };

/**
 * Finds people, places and organisations in a text, in order, each once, by compromise's rules and lists, which cover
 * English only. Null for other languages.
 */
export function entitiesOf(text: string, language: string): Entity[] | null {
  if (language !== 'en') return null;
  const said = nlp(text);
  const found = [
    ...named(said.people(), 'person'),
    ...named(said.places(), 'place'),
    ...named(said.organizations(), 'organization'),
  ].sort((a, b) => a.at - b.at);
  const entities = new Map(found.map(({ text: name, type }) => [`${type} ${name}`, { text: name, type }]));
  return [...entities.values()];
}

const Found = z.array(z.object({ text: z.string(), offset: z.object({ start: z.number() }) }));

function named(names: { json: (options: object) => unknown }, type: Entity['type']): (Entity & { at: number })[] {
  return Found.parse(names.json({ offset: true })).flatMap(({ text, offset }) => {
    const name = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').replace(/['’]s$/u, '');
    return name === '' ? [] : [{ text: name, type, at: offset.start }];
  });
}
