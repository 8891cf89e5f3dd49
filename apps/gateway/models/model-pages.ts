import { elementAt, type Model, type PageQuery } from '@adit/contracts';
import { placeIn, placeOf } from '@adit/database';

type Times = Pick<PageQuery, 'time_created_from' | 'time_created_to'>;

export function madeWithin(models: readonly Model[], { time_created_from: from, time_created_to: to }: Times): Model[] {
  return models.filter(({ time_created: made }) => {
    const time = Date.parse(made);
    return (from === undefined || time >= from.getTime()) && (to === undefined || time <= to.getTime());
  });
}

/**
 * A page of models, which are in memory: public ones first, then by name. Throws VALIDATION for a cursor of another list.
 *
 * @returns with the place of the next page, for whoever reads by `cursor`
 */
export function modelsOf(
  models: readonly Model[],
  { offset, limit, cursor }: PageQuery,
): { shown: Model[]; next: string | null } {
  if (cursor === undefined) return { shown: models.slice(offset, offset + limit), next: null };
  const place = placeIn(cursor, ['flag', 'text', 'uuid']);
  const behind = place === null ? models.slice(offset) : models.filter((model) => isBehind(placeOfModel(model), place));
  const shown = behind.slice(0, limit);
  return { shown, next: behind.length > limit ? placeOf(placeOfModel(elementAt(shown, -1))) : null };
}

function placeOfModel({ is_public: isPublic, name, id }: Model): string[] {
  return [String(!isPublic), name, id];
}

/** In the order of the list: `false` comes before `true`. */
function isBehind(place: readonly string[], other: readonly string[]): boolean {
  const at = place.findIndex((value, index) => value !== other[index]);
  return at >= 0 && elementAt(place, at) > elementAt(other, at);
}
