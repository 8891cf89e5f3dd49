import {
  AditError,
  isTerminal,
  TERMINAL_JOB_STATES,
  type Job,
  type JobState,
  type MediaType,
  type PageQuery,
} from '@adit/contracts';
import { containing, isActive, isHeld, isUuid, JobEntity, readPage, type FoundPage } from '@adit/database';
import { nameSummaries } from '@adit/indexes';
import { presentJob, provenanceOf, shownColumns, type ShownRow } from '@adit/presentation';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';

export interface JobFilter {
  /** Ids to restrict the list to. */
  ids?: string[] | undefined;
  search?: string | undefined;
  tag?: string | undefined;
  state?: JobState | undefined;
  /** true: it waits or runs; false: it has ended. */
  active?: boolean | undefined;
  media_type?: MediaType | undefined;
  /** Id of a batch. */
  batch?: string | undefined;
}

/** The read side of jobs. */
@Injectable()
export class JobReader {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Throws NOT_FOUND for an unknown job, a deleted one, one of an export, or another workspace's. */
  async row(workspaceId: string, jobId: string): Promise<JobEntity> {
    const job = isUuid(jobId)
      ? await this.db.manager.findOneBy(JobEntity, {
          id: jobId,
          workspaceId,
          timeDeleted: IsNull(),
          exportId: IsNull(),
        })
      : null;
    if (job === null) throw unknownJob(jobId);
    return job;
  }

  async one(workspaceId: string, jobId: string, baseUrl: string): Promise<Job> {
    const row = await this.shown(workspaceId, jobId);
    const job = presentJob(row, row.modules, baseUrl);
    // Whoever waits for a job asks often, and has no results yet.
    return isTerminal(row.state) ? { ...job, provenance: await provenanceOf(this.db.manager, jobId) } : job;
  }

  /** The whole job. Throws NOT_FOUND as `row` does. */
  async shown(workspaceId: string, jobId: string): Promise<ShownRow> {
    const [row] = isUuid(jobId) ? await this.db.query<ShownRow[]>(WHOLE_JOB, [jobId, workspaceId]) : [];
    if (row === undefined) throw unknownJob(jobId);
    await nameSummaries(this.db.manager, workspaceId, [row]);
    return row;
  }

  /** Newest first. */
  async list(
    workspaceId: string,
    filter: JobFilter & PageQuery,
    baseUrl: string,
  ): Promise<Pick<FoundPage<never>, 'total' | 'next'> & { jobs: Job[] }> {
    const { rows, total, next } = await this.found(workspaceId, filter, filter);
    const ids = rows.map(({ id }) => id);
    const shown = ids.length === 0 ? [] : await this.db.query<ShownRow[]>(LISTED_JOBS, [ids]);
    await nameSummaries(this.db.manager, workspaceId, shown);
    const byId = new Map(shown.map((row) => [row.id, row]));
    // One that was swept meanwhile is missing.
    const jobs = ids.flatMap((id) => byId.get(id) ?? []);
    return { total, next, jobs: jobs.map((row) => presentJob(row, row.modules, baseUrl)) };
  }

  /** Ids of some of the jobs, newest first; `ended` leaves out those that have not ended or are under a legal hold. */
  async ids(
    workspaceId: string,
    filter: JobFilter,
    { ended, ...page }: Partial<PageQuery> & { limit: number; ended: boolean },
  ): Promise<string[]> {
    const { rows } = await this.found(workspaceId, { ...filter, ended }, page);
    return rows.map(({ id }) => id);
  }

  private found(
    workspaceId: string,
    filter: JobFilter & { ended?: boolean },
    page: Partial<PageQuery>,
  ): Promise<FoundPage<JobEntity>> {
    const query = this.db.manager
      .createQueryBuilder(JobEntity, 'job')
      .where('job.workspaceId = :workspaceId AND job.timeDeleted IS NULL AND job.exportId IS NULL', { workspaceId });
    if (filter.tag !== undefined) query.andWhere('job.tag = :tag', { tag: filter.tag });
    if (filter.state !== undefined) query.andWhere('job.state = :state', { state: filter.state });
    if (filter.active !== undefined) query.andWhere(`${filter.active ? '' : 'NOT '}(${isActive('job')})`);
    if (filter.media_type !== undefined) query.andWhere({ mediaType: filter.media_type });
    if (filter.batch !== undefined) {
      if (isUuid(filter.batch)) query.andWhere('job.batchId = :batch', { batch: filter.batch });
      else query.andWhere('false');
    }
    if (filter.ids !== undefined) query.andWhere('job.id = ANY(:ids::uuid[])', { ids: filter.ids.filter(isUuid) });
    if (filter.ended === true) {
      query.andWhere({ state: In<JobState>(TERMINAL_JOB_STATES) }).andWhere(`NOT ${isHeld('job')}`);
    }
    if (filter.search !== undefined && filter.search !== '') {
      query.andWhere(
        `(job.id::text ILIKE :pattern OR job.tag ILIKE :pattern OR EXISTS (
            SELECT 1 FROM job_sources s WHERE s.job_id = job.id AND coalesce(s.name, s.uri) ILIKE :pattern))`.replace(
          /\s+/g,
          ' ',
        ),
        { pattern: containing(filter.search) },
      );
    }
    return readPage(query.select('job.id'), page, [
      { by: 'job.timeCreated', kind: 'time', descending: true },
      { by: 'job.id', kind: 'uuid', descending: true },
    ]);
  }
}

/** A job and its parts by index look-ups: what most requests ask. */
const WHOLE_JOB = `SELECT ${shownColumns('whole')} FROM jobs j
  WHERE j.id = $1 AND j.workspace_id = $2 AND j.time_deleted IS NULL AND j.export_id IS NULL`;
const LISTED_JOBS = `SELECT ${shownColumns('listed')} FROM jobs j WHERE j.id = ANY($1::uuid[])`;

function unknownJob(jobId: string): AditError {
  return new AditError('NOT_FOUND', `There is no job ${jobId}.`);
}
