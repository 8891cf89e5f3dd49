import type { Operations } from '@adit/client';
import { AditError } from '@adit/contracts';
import { nearestName } from '@adit/dictionaries';
import type { SourceKind } from './folder-media.js';

/** Fields of a module as the engine lists it. */
export type OfferedModule = Pick<Operations['GET /v1/modules/']['reply'][number], 'id' | 'aliases' | 'media'>;

/** Asks every module of what it takes. */
export const ALL_MODULES = 'all';

const MEDIA: Record<SourceKind, string> = {
  pictures: 'image',
  // Each page is a picture.
  documents: 'image',
  films: 'video',
  recordings: 'audio',
  streams: 'video',
};

/** The modules that were asked, by the names they were asked by. Throws VALIDATION for one that there is not. */
export function askedModules(asked: readonly string[], offered: readonly OfferedModule[]): string[] {
  if (asked.includes(ALL_MODULES)) return offered.map(({ id }) => id);
  for (const name of asked) {
    if (find(name, offered) !== undefined) continue;
    const names = [...offered.map(({ id }) => id), ALL_MODULES].join(', ');
    const nearest = nearestName(name, [...offered.flatMap(({ id, aliases }) => [id, ...aliases]), ALL_MODULES]);
    const meant = nearest === null ? '' : ` Did you mean ${nearest}?`;
    throw new AditError('VALIDATION', `There is no module ${name}.${meant} There are ${names}.`);
  }
  return [...new Set(asked)];
}

/** Selects the modules that take sources of a kind, and gives the reason against the others. */
export function modulesTakingKind(
  asked: readonly string[],
  kind: SourceKind,
  offered: readonly OfferedModule[],
): { taking: string[]; notes: string[] } {
  const taking = asked.filter((name) => find(name, offered)?.media.includes(MEDIA[kind]));
  const notes = asked
    .filter((name) => !taking.includes(name))
    .map((name) => `${name} is not asked of ${kind}: it takes ${find(name, offered)?.media.join(' and ')}.`);
  return { taking, notes };
}

function find(name: string, offered: readonly OfferedModule[]): OfferedModule | undefined {
  return offered.find(({ id, aliases }) => id === name || aliases.includes(name));
}
