import {
  AditError,
  ClipsExport,
  DatasetExport,
  FoundSegmentsExport,
  JobResultsExport,
  SegmentsExport,
  TranscriptExport,
  type ExportRequest,
} from '@adit/contracts';
import {
  DatasetEntity,
  ExportEntity,
  inTransaction,
  isUuid,
  JobSourceEntity,
  noneIsDeleted,
  readPage,
  refuseBeyond,
  type JobEntity,
} from '@adit/database';
import { insertExport } from '@adit/artifacts';
import { ModuleRegistry } from '@adit/module-kit';
import { presentExport } from '@adit/presentation';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { questionOf } from '@adit/search';
import { TranscriptReader } from '@adit/transcript-store';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, In, IsNull, Raw, type FindOptionsWhere } from 'typeorm';
import type { z } from 'zod';
import type { Caller } from '../http/caller.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { sendObject } from '../http/send-object.js';
import { detailsOf } from '../http/validation.js';
import { Artifacts } from '../results/artifacts.js';
import { JobReader } from '../jobs/job-reader.js';
import { UsageQuotas } from '../usage/usage-quotas.js';
import { createExport, exportArtifacts, exportFile, getExport, listExports } from './export-routes.js';

/** Exports of one workspace that have not ended. */
const MAX_OPEN = 100;

/** Exports are made by the aggregator. */
@Controller()
export class ExportsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(TranscriptReader) private readonly transcripts: TranscriptReader,
    @Inject(Artifacts) private readonly artifacts: Artifacts,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(Links) private readonly links: Links,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(UsageQuotas) private readonly quotas: UsageQuotas,
  ) {}

  @Route(createExport)
  async create({ body }: Input<typeof createExport>, { caller, newId: id, isDone, done }: Exchange) {
    const { workspaceId } = caller;
    if (isDone) return presentExport(await this.row(caller, id));
    const of = await this.checked(workspaceId, body);
    // Jobs look for its borders.
    if (body.config['refine'] === true) await this.quotas.check(workspaceId);
    await inTransaction(this.db, async (manager) => {
      await done(manager);
      await refuseBeyond(manager, {
        kind: 'exports',
        ownerId: workspaceId,
        most: MAX_OPEN,
        rows: `SELECT 1 FROM exports WHERE workspace_id = $1 AND state IN ('waiting', 'processing')`,
        message: `${MAX_OPEN} exports of this workspace have not ended; wait for one of them.`,
      });
      await insertExport(manager, { id, workspaceId, strategy: body.strategy, ...of });
    });
    return presentExport(await this.row(caller, id));
  }

  @Route(listExports)
  async list({ query }: Input<typeof listExports>, { caller, request }: Exchange) {
    const found = this.db.manager.createQueryBuilder(ExportEntity, 'e').where(foundBy(caller));
    const { rows, total, next } = await readPage(found, query, [
      { by: 'e.timeCreated', kind: 'time', descending: true },
      { by: 'e.id', kind: 'uuid', descending: true },
    ]);
    return this.links.page(request, query, total, rows.map(presentExport), next);
  }

  @Route(getExport)
  async one({ params }: Input<typeof getExport>, { caller }: Exchange) {
    return presentExport(await this.row(caller, params.exportId));
  }

  @Route(exportArtifacts)
  async files({ params, query }: Input<typeof exportArtifacts>, { caller, request }: Exchange) {
    const { id: exportId } = await this.row(caller, params.exportId);
    const { total, data, next } = await this.artifacts.list({ exportId }, query);
    return this.links.page(request, query, total, data, next);
  }

  @Route(exportFile)
  async file({ params }: Input<typeof exportFile>, { caller, request, reply }: Exchange) {
    const { id: exportId } = await this.row(caller, params.exportId);
    const artifact = await this.artifacts.get({ exportId }, params.artifactId);
    return sendObject(this.objects, this.artifacts.file(artifact), request, reply);
  }

  /** With what it is made of: the export goes when that does. */
  private async checked(
    workspaceId: string,
    { strategy, config }: ExportRequest,
  ): Promise<Pick<ExportEntity, 'config' | 'jobId' | 'transcriptId' | 'datasetId'>> {
    switch (strategy) {
      case 'job_results_export': {
        const wanted = parsed(JobResultsExport, config);
        const { job_id: id } = wanted;
        const job = await this.job(workspaceId, id);
        return { config: { ...wanted, job_id: job.id }, jobId: job.id, transcriptId: null, datasetId: null };
      }
      case 'segments_export':
        return 'search' in config
          ? this.ofSearch(workspaceId, parsed(FoundSegmentsExport, config))
          : this.ofSegments(workspaceId, parsed(SegmentsExport, config));
      case 'clips_export':
        return this.ofSegments(workspaceId, parsed(ClipsExport, config));
      case 'transcript_export': {
        const wanted = parsed(TranscriptExport, config);
        const there = this.transcripts.version(workspaceId, wanted.transcript_id, wanted.variant_id, wanted.version);
        const { transcript, variant, version } = await there.catch(
          unless('/config/transcript_id', 'unknown_transcript', 'There is no such version of such a transcript.'),
        );
        // The newest one as of now, whatever is edited until it is written.
        const named = { transcript_id: transcript.id, variant_id: variant.id, version: version.version };
        return {
          config: { ...wanted, ...named },
          ...{ jobId: transcript.jobId, transcriptId: transcript.id, datasetId: null },
        };
      }
      case 'basic_dataset_export':
      case 'coco_export': {
        const { dataset_id: id } = parsed(DatasetExport, config);
        const where = { id, workspaceId, timeDeleted: IsNull() };
        if (!isUuid(id) || !(await this.db.manager.existsBy(DatasetEntity, where))) {
          throw wrong('/config/dataset_id', 'unknown_dataset', `There is no dataset ${id}.`);
        }
        return { config: { dataset_id: id }, jobId: null, transcriptId: null, datasetId: id };
      }
    }
  }

  private async ofSegments(workspaceId: string, wanted: SegmentsExport | ClipsExport) {
    const job = await this.job(workspaceId, wanted.job_id);
    if (job.mediaType === 'image' || job.mediaType === 'pdf') {
      const instead = 'job_results_export writes what was found in pictures and documents.';
      throw wrong('/config/job_id', 'no_timeline', `The job has no film or recording to cut: ${instead}`);
    }
    const { source: index } = wanted;
    if (index !== undefined && !(await this.db.manager.existsBy(JobSourceEntity, { jobId: job.id, index }))) {
      throw wrong('/config/source', 'unknown_source', `The job has no source ${index}; the first one is 0.`);
    }
    return { config: { ...wanted, job_id: job.id }, jobId: job.id, transcriptId: null, datasetId: null };
  }

  /** What is found is known when it is written. Throws VALIDATION for a question that cannot be read. */
  private ofSearch(workspaceId: string, wanted: FoundSegmentsExport) {
    questionOf(workspaceId, wanted.search, { modules: this.modules, mark: '/config/search/' });
    return { config: { ...wanted }, jobId: null, transcriptId: null, datasetId: null };
  }

  private job(workspaceId: string, id: string): Promise<JobEntity> {
    const unknown = unless('/config/job_id', 'unknown_job', `There is no job ${id}.`);
    return this.jobs.row(workspaceId, id).catch(unknown);
  }

  private async row(caller: Caller, id: string): Promise<ExportEntity> {
    const row = isUuid(id) ? await this.db.manager.findOneBy(ExportEntity, { id, ...foundBy(caller) }) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no export ${id}.`);
    return row;
  }
}

/** The exports that are there for somebody: of the workspace, and of what a token reaches. */
function foundBy({ workspaceId, exportStrategies }: Caller): FindOptionsWhere<ExportEntity> {
  return {
    workspaceId,
    ...(exportStrategies === null ? {} : { strategy: In([...exportStrategies]) }),
    jobId: ofJobThatIsThere(),
    transcriptId: ofTranscriptThatIsThere(),
    datasetId: ofDatasetThatIsThere(),
    foundIn: Raw(noneIsDeleted),
  };
}

/** Throws VALIDATION with every fault. */
function parsed<T extends z.ZodType>(schema: T, config: unknown): z.output<T> {
  const { success, data, error } = schema.safeParse(config);
  if (success) return data;
  const path = ['body', 'config'];
  const errors = error.issues.flatMap((issue) => detailsOf({ ...issue, path: [...path, ...issue.path] }));
  throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
}

/** A missing resource is a fault of the request that names it. */
function unless(pointer: string, code: string, message: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof AditError && error.code === 'NOT_FOUND' ? wrong(pointer, code, message) : error;
  };
}

/** The exports of a job that was deleted go after it, in steps; until then nobody finds them. */
function ofJobThatIsThere() {
  return Raw(
    (jobId) => `(${jobId} IS NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = ${jobId} AND j.time_deleted IS NULL))`,
  );
}

/** Selects exports of transcripts and variants that exist. */
function ofTranscriptThatIsThere() {
  return Raw(
    (id) => `(${id} IS NULL OR EXISTS (
      SELECT 1 FROM transcripts t JOIN transcript_variants v ON v.transcript_id = t.id
       WHERE t.id = ${id} AND t.time_deleted IS NULL AND v.id = (config ->> 'variant_id')::uuid AND v.time_deleted IS NULL))`,
  );
}

/** And those of a dataset. */
function ofDatasetThatIsThere() {
  return Raw(
    (id) => `(${id} IS NULL OR EXISTS (SELECT 1 FROM datasets d WHERE d.id = ${id} AND d.time_deleted IS NULL))`,
  );
}

function wrong(pointer: string, code: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code, message }] });
}
