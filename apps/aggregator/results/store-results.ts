import { randomUUID } from 'node:crypto';
import { elementAt, zip } from '@adit/contracts';
import { columns, SegmentEntity, SummaryEntity, type JobEntity, type JobModuleEntity } from '@adit/database';
import { identityLabel } from '@adit/presentation';
import { type Identities } from '@adit/jobs';
import type { IndexedFaces } from './indexed-faces.js';
import type { IdentityClaim, Segment, Summary } from '@adit/module-kit';
import type { EntityManager } from 'typeorm';

/** Rows of one statement. */
const PART = 500;

/** What one module found in one source, or in all images. */
export interface ModuleResults {
  /** Its count of segments grows. */
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
  for (const { module, segments } of results) {
    const numbers = await numbersOf(segments, identities);
    for (const [at, { claim, teaches = null, ...segment }] of segments.entries()) {
      rows.push({
        ...segment,
        teaches,
        jobId: job.id,
        moduleId: module.moduleId,
        seq: job.segmentCount++,
        moduleSeq: module.segmentCount++,
        ...(claim === undefined
          ? { identityCollection: null, identityNumber: null, indexId: null }
          : claim.network === undefined
            ? { identityCollection: claim.collection, identityNumber: numbers[at] ?? null, indexId: null }
            : {
                identityCollection: null,
                identityNumber: null,
                indexId: await faces.identify(claim, segment.thumbnail),
              }),
      });
    }
  }
  for (let at = 0; at < rows.length; at += PART) {
    const part = rows.slice(at, at + PART).map((row) => columns<SegmentEntity>(row));
    await manager.insert(SegmentEntity, part);
  }
}

/** The identities of the job that segments claim, by the segments' places; those of one picture are told apart. */
async function numbersOf(segments: readonly Segment[], identities: Identities): Promise<(number | null)[]> {
  const numbers = segments.map((): number | null => null);
  const pictures = new Map<string, { claim: IdentityClaim; at: number }[]>();
  for (const [at, { claim }] of segments.entries()) {
    if (claim === undefined || claim.network !== undefined) continue;
    const key = claim.apart ?? `alone ${at}`;
    pictures.set(key, [...(pictures.get(key) ?? []), { claim, at }]);
  }
  for (const members of pictures.values()) {
    const claims = members.map(({ claim }) => claim);
    const given =
      claims.length === 1 ? [await identities.assign(elementAt(claims, 0))] : await identities.assignApart(claims);
    for (const [{ at }, number] of zip(members, given)) numbers[at] = number;
  }
  return numbers;
}

/** Numbers and inserts summaries, behind those the job has. */
export async function insertSummaries(
  manager: EntityManager,
  jobId: string,
  results: ModuleResults[],
  identities: Identities,
): Promise<void> {
  const rows: Partial<SummaryEntity>[] = [];
  for (const { module, sourceIndex: source, summaries } of results) {
    for (const { type, meta, groups = [], atMost = Infinity, sourceIndex = Math.max(0, source) } of summaries) {
      const named = { ...meta };
      for (const { claim, value } of groups) {
        const label = identityLabel(await identities.assign(claim));
        // The job may know two of them as one.
        named[label] = Math.min(atMost, (named[label] ?? 0) + value);
      }
      rows.push({ jobId, moduleId: module.moduleId, sourceIndex, type, meta: named, id: randomUUID() });
    }
  }
  if (rows.length === 0) return;
  const [{ first }]: [{ first: number }] = await manager.query(
    `SELECT coalesce(max(seq) + 1, 0)::int AS first FROM summaries WHERE job_id = $1`,
    [jobId],
  );
  rows.forEach((row, at) => (row.seq = first + at));
  for (let at = 0; at < rows.length; at += PART) {
    const part = rows.slice(at, at + PART).map((row) => columns<SummaryEntity>(row));
    await manager.insert(SummaryEntity, part);
  }
}
