import { randomUUID } from 'node:crypto';
import { elementAt, zip, identityLabel } from '@adit/contracts';
import type { JobEntity, JobModuleEntity, SegmentEntity, SummaryEntity } from '@adit/database';
import { appendSummaryRows, insertSegmentRows, type Identities } from '@adit/jobs';
import { IdentitiesShown } from './identities-shown.js';
import type { IndexedFaces } from './indexed-faces.js';
import type { FaceEmbedding, IdentityClaim, Segment, Summary } from '@adit/module-kit';
import { keepFaces, networkOfFaces } from '@adit/search';
import type { EntityManager } from 'typeorm';

/** Results of one module in one source, or in all images. */
export interface ModuleResults {
  /** Module whose count of segments grows. */
  module: JobModuleEntity;
  sourceIndex: number;
  segments: Segment[];
  summaries: Summary[];
}

/** Numbers and inserts segments; the caller writes the new counts of the job and its modules. */
export async function insertSegments(
  manager: EntityManager,
  job: JobEntity,
  results: ModuleResults[],
  identities: Identities,
  faces: IndexedFaces,
): Promise<void> {
  const rows: Partial<SegmentEntity>[] = [];
  const seen: SeenFace[] = [];
  for (const { module, sourceIndex, segments } of results) {
    const shown = new IdentitiesShown(manager, { jobId: job.id, module, sourceIndex });
    const numbers = await numbersOf(segments, identities, shown);
    const indexIds = await indexIdsOf(segments, faces);
    for (const [at, { claim, face, teaches = null, key: _, ...segment }] of segments.entries()) {
      if (face !== undefined) seen.push({ ...face, seq: job.segmentCount });
      rows.push({
        ...segment,
        teaches,
        jobId: job.id,
        moduleId: module.moduleId,
        seq: job.segmentCount++,
        moduleSeq: module.segmentCount++,
        identityCollection: claim?.network === undefined ? (claim?.collection ?? null) : null,
        identityNumber: numbers[at] ?? null,
        indexId: indexIds[at] ?? null,
      });
    }
  }
  await insertSegmentRows(manager, job.id, rows);
  await keepSeenFaces(manager, job, seen);
}

type SeenFace = FaceEmbedding & { seq: number };

/** Keeps the faces of segments for searches by a photo, where the workspace asks for that. */
async function keepSeenFaces(manager: EntityManager, job: JobEntity, seen: readonly SeenFace[]): Promise<void> {
  for (const name of new Set(seen.map(({ network }) => network))) {
    const network = await networkOfFaces(manager, job.id, name);
    if (network === null) continue;
    const faces = seen.filter((face) => face.network === name);
    await keepFaces(manager, { jobId: job.id, workspaceId: job.workspaceId, network }, faces);
  }
}

/**
 * Ids of identities in index collections for the claims of segments, by the segments' places; those of one picture
 * are different people.
 */
async function indexIdsOf(segments: readonly Segment[], faces: IndexedFaces): Promise<(string | null)[]> {
  const ids = segments.map((): string | null => null);
  for (const members of picturesOf(segments, true)) {
    const claims = members.map(({ claim, at }) => ({ claim, thumbnail: elementAt(segments, at).thumbnail }));
    for (const [{ at }, id] of zip(members, await faces.identifyApart(claims))) ids[at] = id;
  }
  return ids;
}

/** Claims of segments, into index collections or not, those of one picture together, with the segments' places. */
function picturesOf(segments: readonly Segment[], isIndexed: boolean): { claim: IdentityClaim; at: number }[][] {
  const pictures = new Map<string, { claim: IdentityClaim; at: number }[]>();
  for (const [at, { claim }] of segments.entries()) {
    if (claim === undefined || (claim.network !== undefined) !== isIndexed) continue;
    const key = claim.apart ?? `alone ${at}`;
    pictures.set(key, [...(pictures.get(key) ?? []), { claim, at }]);
  }
  return [...pictures.values()];
}

/**
 * Assigns identities of the job to the claims of segments, by the segments' places. People in one picture are told
 * apart, and so are those that a film shows at one time.
 */
async function numbersOf(
  segments: readonly Segment[],
  identities: Identities,
  shown: IdentitiesShown,
): Promise<(number | null)[]> {
  const numbers = segments.map((): number | null => null);
  for (const members of picturesOf(segments, false)) {
    const claims = members.map(({ claim }) => claim);
    if (claims.length > 1) {
      for (const [{ at }, number] of zip(members, await identities.assignApart(claims))) numbers[at] = number;
      continue;
    }
    const { claim, at } = elementAt(members, 0);
    const segment = elementAt(segments, at);
    const number = await identities.assign(claim, await shown.beside(claim.collection, segment));
    shown.add(claim.collection, segment, number);
    numbers[at] = number;
  }
  return numbers;
}

/** Numbers and inserts summaries, after those the job has. */
export async function insertSummaries(
  manager: EntityManager,
  jobId: string,
  results: ModuleResults[],
  identities: Identities,
): Promise<void> {
  const rows: Partial<SummaryEntity>[] = [];
  for (const { module, sourceIndex: source, summaries } of results) {
    for (const summary of summaries) {
      const { type, meta, groups = [], atMost = Infinity, sourceIndex = Math.max(0, source), people = null } = summary;
      const named = { ...meta };
      // The groups of one source are different people, whatever the job knew before: as many as the source's other
      // summaries count.
      const numbers = await identities.assignApart(groups.map(({ claim }) => claim));
      for (const [{ value }, number] of zip(groups, numbers)) named[identityLabel(number)] = Math.min(atMost, value);
      rows.push({ jobId, moduleId: module.moduleId, sourceIndex, type, meta: named, people, id: randomUUID() });
    }
  }
  await appendSummaryRows(manager, jobId, rows);
}
