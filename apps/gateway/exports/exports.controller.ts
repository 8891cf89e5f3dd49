import { AditError, JobResultsExport, type ExportRequest } from '@adit/contracts';
import { ExportEntity, isUuid } from '@adit/database';
import { presentExport } from '@adit/presentation';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, Raw } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { sendObject } from '../http/send-object.js';
import { detailsOf } from '../http/validation.js';
import { Artifacts } from '../results/artifacts.js';
import { JobReader } from '../jobs/job-reader.js';
import { createExport, exportArtifacts, exportFile, getExport, listExports } from './export-routes.js';

/** What the other strategies wait for. */
const LACKING: Record<Exclude<ExportRequest['strategy'], 'job_results_export'>, string> = {
  basic_dataset_export: 'datasets',
  coco_export: 'datasets',
  transcript_export: 'transcripts',
};

/** Exports are made by the aggregator. */
@Controller()
export class ExportsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(Artifacts) private readonly artifacts: Artifacts,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(createExport)
  async create({ body }: Input<typeof createExport>, { caller: { workspaceId }, newId: id }: Exchange) {
    const config = await this.checked(workspaceId, body);
    const { job_id: jobId } = config;
    await this.db.manager.insert(ExportEntity, { id, workspaceId, strategy: body.strategy, config, jobId });
    return presentExport(await this.row(workspaceId, id));
  }

  @Route(listExports)
  async list({ query }: Input<typeof listExports>, { caller: { workspaceId }, request }: Exchange) {
    const [rows, total] = await this.db.manager.findAndCount(ExportEntity, {
      where: { workspaceId, jobId: ofJobThatIsThere() },
      order: { timeCreated: 'DESC', id: 'DESC' },
      skip: query.offset,
      take: query.limit,
    });
    return this.links.page(request, query, total, rows.map(presentExport));
  }

  @Route(getExport)
  async one({ params }: Input<typeof getExport>, { caller }: Exchange) {
    return presentExport(await this.row(caller.workspaceId, params.exportId));
  }

  @Route(exportArtifacts)
  async files({ params, query }: Input<typeof exportArtifacts>, { caller, request }: Exchange) {
    const { id: exportId } = await this.row(caller.workspaceId, params.exportId);
    const { total, data } = await this.artifacts.list({ exportId }, query);
    return this.links.page(request, query, total, data);
  }

  @Route(exportFile)
  async file({ params }: Input<typeof exportFile>, { caller, request, reply }: Exchange) {
    const { id: exportId } = await this.row(caller.workspaceId, params.exportId);
    const artifact = await this.artifacts.get({ exportId }, params.artifactId);
    return sendObject(this.objects, this.artifacts.file(artifact), request, reply);
  }

  private async checked(workspaceId: string, { strategy, config }: ExportRequest): Promise<JobResultsExport> {
    if (strategy !== 'job_results_export') {
      throw wrong('/strategy', 'not_yet', `${strategy} cannot be done yet: there are no ${LACKING[strategy]}.`);
    }
    const parsed = JobResultsExport.safeParse(config);
    if (!parsed.success) {
      const path = ['body', 'config'];
      const errors = parsed.error.issues.flatMap((issue) => detailsOf({ ...issue, path: [...path, ...issue.path] }));
      throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
    }
    const { job_id: jobId } = parsed.data;
    const job = await this.jobs.row(workspaceId, jobId).catch((error: unknown) => {
      if (error instanceof AditError && error.code === 'NOT_FOUND') {
        throw wrong('/config/job_id', 'unknown_job', `There is no job ${jobId}.`);
      }
      throw error;
    });
    return { ...parsed.data, job_id: job.id };
  }

  private async row(workspaceId: string, id: string): Promise<ExportEntity> {
    const row = isUuid(id)
      ? await this.db.manager.findOneBy(ExportEntity, { id, workspaceId, jobId: ofJobThatIsThere() })
      : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no export ${id}.`);
    return row;
  }
}

/** The exports of a job that was deleted go after it, in steps; until then nobody finds them. */
function ofJobThatIsThere() {
  return Raw(
    (jobId) => `(${jobId} IS NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = ${jobId} AND j.time_deleted IS NULL))`,
  );
}

function wrong(pointer: string, code: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code, message }] });
}
