import type { EntityManager } from 'typeorm';
import type { HeldBytes } from './paragraph-rows.js';

/**
 * Characters of a position. What is put into one place again and again halves the room there, at a digit each time, and an entry
 * of an index holds 5,300 of them.
 */
const MAX_CHARACTERS = 500;
/** Characters of one that is not in anybody's way. */
const SHORT = 20;

interface Place {
  variantId: string;
  /** The paragraph that it is behind; null: before all. */
  after: string | null;
  /** Number of the version that is being written, which may have ended that paragraph. */
  number: number;
}

/** Null: there is none on that side. */
interface Neighbours {
  low: string | null;
  high: string | null;
}

/**
 * So many positions in order, behind a paragraph and before the next one. Each takes about as many digits more than its
 * neighbours' as `count` has in binary; where they become too long, those around are numbered anew before.
 */
export async function placesBehind(
  manager: EntityManager,
  held: HeldBytes,
  place: Place,
  count: number,
): Promise<string[]> {
  const places = await placesBetween(manager, await neighbours(manager, place), count);
  if (places.every(({ length }) => length <= MAX_CHARACTERS)) return places;
  await numberAnew(manager, held, place);
  return placesBetween(manager, await neighbours(manager, place), count);
}

async function neighbours(manager: EntityManager, { variantId, after, number }: Place): Promise<Neighbours> {
  const [found] = await manager.query<[Neighbours]>(
    `WITH behind AS (
       SELECT max(position) AS at FROM transcript_paragraphs
        WHERE variant_id = $1 AND id = $2 AND (to_version IS NULL OR to_version = $3))
     SELECT behind.at::text AS low,
            (SELECT p.position FROM transcript_paragraphs p
              WHERE p.variant_id = $1 AND p.to_version IS NULL AND p.position > coalesce(behind.at, '-infinity')
              ORDER BY p.position LIMIT 1)::text AS high
       FROM behind`,
    [variantId, after, number],
  );
  return found;
}

/** SQL: the one that is `place`, from 1, of `$3` between `$1` and `$2`, which are `$4` parts of an exact length from each other. */
const BETWEEN = `CASE WHEN $1::numeric IS NULL THEN coalesce(ceil($2::numeric), $3::int + 1) - $3::int - 1 + place
                      WHEN $2::numeric IS NULL THEN floor($1::numeric) + place
                      ELSE $1::numeric + ($2::numeric - $1::numeric) * (place * $4::numeric) END`;

function valuesOf({ low, high }: Neighbours, count: number): unknown[] {
  // More parts than places.
  return [low, high, count, String(0.5 ** Math.ceil(Math.log2(count + 1)))];
}

async function placesBetween(manager: EntityManager, between: Neighbours, count: number): Promise<string[]> {
  const rows: { position: string }[] = await manager.query(
    `SELECT (${BETWEEN})::text AS position FROM generate_series(1, $3::int) AS place ORDER BY place`,
    valuesOf(between, count),
  );
  return rows.map(({ position }) => position);
}

/**
 * Numbers those anew, of all versions, that lie around a paragraph up to the next ones with a short number: evenly between
 * these, in the order that they have. They are as many as were put there, so that each is numbered anew once in hundreds of
 * edits of that place.
 */
async function numberAnew(manager: EntityManager, held: HeldBytes, place: Place): Promise<void> {
  const { variantId } = place;
  const { low: at } = await neighbours(manager, place);
  const [edges] = await manager.query<[Neighbours]>(
    `SELECT (SELECT position FROM transcript_paragraphs
              WHERE variant_id = $1 AND position <= $2::numeric AND length(position::text) <= ${SHORT}
              ORDER BY position DESC LIMIT 1)::text AS low,
            (SELECT position FROM transcript_paragraphs
              WHERE variant_id = $1 AND position > $2::numeric AND length(position::text) <= ${SHORT}
              ORDER BY position LIMIT 1)::text AS high`,
    [variantId, at],
  );
  const crowded = (variant: string, low: string, high: string): string =>
    `variant_id = ${variant} AND position > coalesce(${low}::numeric, '-infinity') AND position < coalesce(${high}::numeric, 'infinity')`;
  const [{ count }] = await manager.query<[{ count: number }]>(
    `SELECT count(DISTINCT position)::int AS count FROM transcript_paragraphs WHERE ${crowded('$1', '$2', '$3')}`,
    [variantId, edges.low, edges.high],
  );
  // One that was removed may have had the place of one that came after: they are never in one version, and stay together.
  const [{ bytes }] = await manager.query<[{ bytes: number }]>(
    `WITH crowded AS MATERIALIZED (
       SELECT id, from_version, length(position::text) AS characters, dense_rank() OVER (ORDER BY position) AS place
         FROM transcript_paragraphs WHERE ${crowded('$5', '$1', '$2')}),
     moved AS (
       UPDATE transcript_paragraphs p SET position = ${BETWEEN} FROM crowded c
        WHERE p.variant_id = $5 AND p.id = c.id AND p.from_version = c.from_version
       RETURNING c.characters - length(p.position::text) AS bytes)
     SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM moved`,
    [...valuesOf(edges, count), variantId],
  );
  held.giveBack(bytes);
}
