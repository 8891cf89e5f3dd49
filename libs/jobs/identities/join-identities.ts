import { elementAt, IDENTITY_LABEL_PATTERN, identityLabel, identityNumberIn } from '@adit/contracts';
import { joinedMean, joinNear, type Mean } from '@adit/module-kit';
import { inTimeSlices } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { bytesOf, vectorOf } from './centroid-table.js';
import { renameSummary, renumberIdentities } from '../results/result-rows.js';
import { apartIn, type Shown } from './shown-apart.js';

/**
 * Limit above which identities are not joined: each is compared with all others while the job's row is locked, here
 * for about a second.
 */
const MAX_JOINED = 2_000;

interface Row {
  collection: string;
  number: number;
  centroid: Buffer;
  members: number;
  reach: number | null;
}

/**
 * Joins a job's identities that came closer as they gained members, once no claim is to come, and renumbers them
 * without gaps in segments and summaries. Identities that one picture, one moment of a film or one summary shows
 * together are never joined. Calling it again changes nothing. The caller holds the job's row.
 *
 * @returns whether anything changed.
 */
export async function joinIdentities(manager: EntityManager, jobId: string): Promise<boolean> {
  const rows: Row[] = await manager.query(
    `SELECT collection, number, centroid, members, max_distance AS reach FROM identities WHERE job_id = $1 ORDER BY collection, number`,
    [jobId],
  );
  const [first] = rows;
  // Summaries name identities without their collection. Earlier builds stored no reach.
  const isOne = rows.every(({ collection, reach }) => collection === first?.collection && reach === first.reach);
  if (first === undefined || first.reach === null || !isOne || rows.length > MAX_JOINED) return false;
  const means = rows.map(({ centroid, members }) => ({ direction: vectorOf(centroid), weight: members }));
  // Most jobs end here: no two identities are near each other.
  const near = await inTimeSlices(joinNear(means, first.reach, () => false));
  if (near.length === rows.length) return false;
  const { collection } = first;
  const areApart = apartIn(await shownIn(manager, jobId, collection), await namedIdentities(manager, jobId));
  // Numbers are dense, from 1.
  const groups = await inTimeSlices(joinNear(means, first.reach, (a, b) => areApart(a + 1, b + 1)));
  if (groups.length === rows.length) return false;
  await renumber(manager, jobId, { collection, means, groups });
  return true;
}

function shownIn(manager: EntityManager, jobId: string, collection: string): Promise<Shown[]> {
  return manager.query(
    `SELECT identity_number AS number, module_id AS "moduleId", source_index AS "sourceIndex",
            frame_start AS "frameStart", frame_end AS "frameEnd"
       FROM segments
      WHERE job_id = $1 AND identity_collection = $2 AND identity_number IS NOT NULL AND frame_start IS NOT NULL`,
    [jobId, collection],
  );
}

/** Numbers of the identities that each summary names. */
async function namedIdentities(manager: EntityManager, jobId: string): Promise<number[][]> {
  const summaries = await readSummaries(manager, jobId);
  return summaries.map(({ meta }) => Object.keys(meta).flatMap((label) => identityNumberIn(label) ?? []));
}

function readSummaries(
  manager: EntityManager,
  jobId: string,
): Promise<{ seq: number; meta: Record<string, number> }[]> {
  return manager.query(
    `SELECT seq, meta FROM summaries
      WHERE job_id = $1 AND EXISTS (SELECT FROM jsonb_object_keys(meta) AS label WHERE label ~ $2)`,
    [jobId, IDENTITY_LABEL_PATTERN],
  );
}

/** Gives each group the number of its place, and the mean of all its members. */
async function renumber(
  manager: EntityManager,
  jobId: string,
  { collection, means, groups }: { collection: string; means: readonly Mean[]; groups: readonly number[][] },
): Promise<void> {
  const numbers = new Map(groups.flatMap((places, at) => places.map((place) => [place + 1, at + 1])));
  await renumberIdentities(manager, { jobId, collection }, numbers);
  for (const { seq, meta } of await readSummaries(manager, jobId)) {
    const named = Object.entries(meta).map(([label, value]) => [labelFor(label, numbers), value]);
    await renameSummary(manager, { jobId, seq }, Object.fromEntries(named) as Record<string, number>);
  }
  const joined = groups.map((places) => joinedMean(places.map((place) => elementAt(means, place))));
  await manager.query(`DELETE FROM identities WHERE job_id = $1 AND collection = $2 AND number > $3`, [
    jobId,
    collection,
    groups.length,
  ]);
  await manager.query(
    `UPDATE identities SET centroid = new.centroid, members = new.members
       FROM unnest($3::int[], $4::bytea[], $5::int[]) AS new (number, centroid, members)
      WHERE job_id = $1 AND collection = $2 AND identities.number = new.number`,
    [
      jobId,
      collection,
      joined.map((_, at) => at + 1),
      joined.map(({ direction }) => bytesOf(direction)),
      joined.map(({ weight }) => weight),
    ],
  );
}

/** Labels of the gallery stay as they are. */
function labelFor(label: string, numbers: ReadonlyMap<number, number>): string {
  const number = numbers.get(identityNumberIn(label) ?? 0);
  return number === undefined ? label : identityLabel(number);
}
