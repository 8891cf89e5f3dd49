import { AditError, nullIfGone, type PictureRef } from '@adit/contracts';
import type { JobModuleEntity } from '@adit/database';
import { enrolFaces, type EnrolledFace } from '@adit/datasets';
import { fileEnrolled } from '@adit/jobs';
import { ModuleRegistry } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AGGREGATOR_SETTINGS, type AggregatorSettings } from '../settings.js';
import type { EndedJob } from './job-artifacts.js';

/** Pictures filed in one transaction. */
const FACES_PER_BATCH = 50;

interface EnrollingSegment {
  seq: number;
  teaches: { label: string; picture: PictureRef };
}

/** Enrols faces that a job's segments name in the datasets that its modules specify. */
@Injectable()
export class EnrolledFaces {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
    @Inject(AGGREGATOR_SETTINGS) private readonly settings: AggregatorSettings,
  ) {}

  /**
   * Files pictures of completed modules. Each segment is filed once, however often the job ends; pictures that were
   * filed stay when others cannot be. Returns the reasons, a sentence each.
   */
  async file({ job, modules }: EndedJob): Promise<string[]> {
    const problems: string[] = [];
    for (const module of modules) {
      const dataset = this.registry.find(module.moduleId)?.dataset?.(module.args) ?? null;
      if (dataset === null || module.state !== 'completed') continue;
      try {
        problems.push(...(await this.fileAll(module, { workspaceId: job.workspaceId, datasetId: dataset.id })));
      } catch (error) {
        const problem = AditError.from(error);
        if (problem.retryable) throw error;
        problems.push(`${module.postedAs}: faces could not be put into the dataset. ${problem.message}`);
      }
    }
    return problems;
  }

  private async fileAll(
    { jobId, moduleId }: JobModuleEntity,
    place: { workspaceId: string; datasetId: string },
  ): Promise<string[]> {
    const problems: string[] = [];
    for (let after = -1; ;) {
      const segments: EnrollingSegment[] = await this.db.query(
        `SELECT seq, teaches FROM segments
          WHERE job_id = $1 AND module_id = $2 AND seq > $3 AND teaches IS NOT NULL AND teaches->'filed' IS NULL
          ORDER BY seq LIMIT ${FACES_PER_BATCH}`,
        [jobId, moduleId, after],
      );
      const last = segments.at(-1);
      if (last === undefined) return problems;
      after = last.seq;
      const faces = (await Promise.all(segments.map((segment) => this.read(jobId, segment)))).flat();
      const claim = (manager: EntityManager, ids: string[]) => claimSegments(manager, jobId, ids);
      problems.push(
        ...(await enrolFaces({ ...this.settings, db: this.db, objects: this.objects }, place, faces, claim)),
      );
    }
  }

  /** Reads the pictures; those that were erased are left out. */
  private async read(jobId: string, { seq, teaches }: EnrollingSegment): Promise<EnrolledFace[]> {
    const jpeg = await this.objects.read(teaches.picture.key).catch(nullIfGone);
    if (jpeg === null) return [];
    return [{ id: String(seq), label: teaches.label, notes: `Segment ${seq} of job ${jobId}`, jpeg }];
  }
}

/** Segments that are not filed yet, of an existing job; an erasure may have come first. */
async function claimSegments(manager: EntityManager, jobId: string, ids: string[]): Promise<ReadonlySet<string>> {
  const jobs: unknown[] = await manager.query('SELECT 1 FROM jobs WHERE id = $1 AND time_deleted IS NULL FOR SHARE', [
    jobId,
  ]);
  if (jobs.length === 0) return new Set();
  const filed = await fileEnrolled(manager, jobId, ids.map(Number));
  return new Set([...filed].map(String));
}
