import { AditError, type Job, type JobState, type PageQuery } from '@adit/contracts';
import { JobEntity, JobModuleEntity } from '@adit/database';
import { presentJob, type ShownJob, type ShownModule } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import { isUuid } from '../http/shapes.js';

export interface JobFilter extends PageQuery {
  search?: string | undefined;
  tag?: string | undefined;
  state?: JobState | undefined;
  /** Id of a batch. */
  batch?: string | undefined;
}

/** The read side of jobs. */
@Injectable()
export class JobReader {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Throws NOT_FOUND for an unknown job, a deleted one, or another workspace's. */
  async row(workspaceId: string, jobId: string): Promise<JobEntity> {
    const job = isUuid(jobId)
      ? await this.db.manager.findOneBy(JobEntity, { id: jobId, workspaceId, timeDeleted: IsNull() })
      : null;
    if (job === null) throw unknownJob(jobId);
    return job;
  }

  modulesOf(jobIds: string[]): Promise<JobModuleEntity[]> {
    return this.db.manager.findBy(JobModuleEntity, { jobId: In(jobIds) });
  }

  async one(workspaceId: string, jobId: string, baseUrl: string): Promise<Job> {
    const rows = isUuid(jobId) ? await this.db.query<ShownRow[]>(SHOWN_JOB, [jobId, workspaceId]) : [];
    const [row] = rows;
    if (row === undefined) throw unknownJob(jobId);
    return presentJob(row, row.modules, baseUrl);
  }

  /** Newest first. */
  async list(workspaceId: string, filter: JobFilter, baseUrl: string): Promise<{ total: number; jobs: Job[] }> {
    if (filter.batch !== undefined && !isUuid(filter.batch)) return { total: 0, jobs: [] };
    const query = this.db.manager
      .createQueryBuilder(JobEntity, 'job')
      .where('job.workspaceId = :workspaceId AND job.timeDeleted IS NULL', { workspaceId });
    if (filter.tag !== undefined) query.andWhere('job.tag = :tag', { tag: filter.tag });
    if (filter.state !== undefined) query.andWhere('job.state = :state', { state: filter.state });
    if (filter.batch !== undefined) query.andWhere('job.batchId = :batch', { batch: filter.batch });
    if (filter.search !== undefined && filter.search !== '') {
      query.andWhere('(job.id::text ILIKE :pattern OR job.tag ILIKE :pattern)', { pattern: containing(filter.search) });
    }
    const [rows, total] = await query
      .orderBy('job.timeCreated', 'DESC')
      .addOrderBy('job.id', 'DESC')
      .offset(filter.offset)
      .limit(filter.limit)
      .getManyAndCount();
    const modules = await this.modulesOf(rows.map(({ id }) => id));
    const modulesOf = (id: string) => modules.filter(({ jobId }) => jobId === id);
    return { total, jobs: rows.map((row) => presentJob(row, modulesOf(row.id), baseUrl)) };
  }
}

type ShownRow = ShownJob & { modules: ShownModule[] };

/** A job and its modules by one index look-up each: what most requests ask. */
const SHOWN_JOB = `
  SELECT id, tag, state, errors, progress, sources, ttl, priority, summary, webhook, media_type AS "mediaType",
         batch_id AS "batchId",
         time_created AS "timeCreated", time_started AS "timeStarted", time_completed AS "timeCompleted",
         (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'position', position, 'postedAs', posted_as, 'args', args, 'state', m.state, 'progress', m.progress)), '[]')
            FROM job_modules m WHERE job_id = jobs.id) AS modules
    FROM jobs WHERE id = $1 AND workspace_id = $2 AND time_deleted IS NULL`;

function unknownJob(jobId: string): AditError {
  return new AditError('NOT_FOUND', `There is no job ${jobId}.`);
}

/** A LIKE pattern in which the text stands for itself. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
