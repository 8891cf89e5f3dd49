import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { AditError, JobResultsExport, SegmentsExport, type DetailedResult } from '@adit/contracts';
import { ArtifactEntity, ExportEntity, JobSourceEntity, type SegmentEntity } from '@adit/database';
import { nameSummaries } from '@adit/indexes';
import {
  presentArtifact,
  presentExport,
  presentJob,
  provenanceOf,
  segmentLabel,
  shownColumns,
  type ShownRow,
  timedSources,
  type TimedSource,
} from '@adit/presentation';
import { artifactExpiry, completeExport, exportPrefix, type NewArtifact } from '@adit/artifacts';
import { writeZip, type ZipEntry } from '@adit/ooxml';
import {
  EXPORTS,
  isWanted,
  releaseRow,
  renewLease,
  TASK_LEASE_SECONDS,
  TaskLoop,
  type ClaimedTask,
} from '@adit/leases';
import { OutboxRelay } from '@adit/outbox';
import { raiseResourceEvents } from '@adit/webhooks';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { TranscriptReader } from '@adit/transcript-store';
import { writeCsv, type Cell } from '@adit/csv';
import { ahead, RESULT_COLUMNS, RESULT_FORMATS, resultRow, writeResultsJson, writeXlsx } from '@adit/report';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { JobResults, SEGMENT_PAGE } from '../endings/job-results.js';
import { ClipExports } from './clip-exports.js';
import { datasetFile } from './dataset-exports.js';
import { FoundSegmentExports } from './found-segment-exports.js';
import { RefinedBorders } from './refined-borders.js';
import { SegmentExports } from './segment-exports.js';
import { transcriptFile, type ExportedFile } from './transcript-exports.js';

type Format = JobResultsExport['format'];

/** Seconds after which an export looks again whether its clips have been cut, first and at the most. */
const [ASK_AGAIN_SECONDS, ASK_AGAIN_MOST_SECONDS] = [2, 20];
/** Seconds of its age that add one to them: one that waits for long takes fewer turns from the other exports. */
const AGE_PER_SECOND = 30;

/** Passes over the segments for an archive: two for tables and one for pictures. */
const ZIP_PASSES = 3;

/** Source of the files of one job's results: as many segments as there were at the beginning. */
interface Material {
  job: ShownRow;
  sources: TimedSource[];
  /** Reads the segments anew at each call. */
  segments: () => AsyncIterable<SegmentEntity>;
}

/** Writes the files of exports, one after the other, and raises their events. */
@Injectable()
export class Exports extends TaskLoop {
  private readonly transcripts: TranscriptReader;
  private readonly segments: SegmentExports;
  private readonly found: FoundSegmentExports;
  private readonly clips: ClipExports;

  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(JobResults) private readonly results: JobResults,
    @Inject(RefinedBorders) private readonly borders: RefinedBorders,
  ) {
    super(db, EXPORTS);
    this.transcripts = new TranscriptReader(db);
    this.segments = new SegmentExports(db, results);
    this.found = new FoundSegmentExports(db, results.registry);
    this.clips = new ClipExports(db, objects, results);
  }

  /** Raises the event of the start with the first attempt alone. */
  protected override async claimed(manager: EntityManager, { key: { id }, attempt }: ClaimedTask): Promise<void> {
    if (attempt > 1) return;
    const row = await manager.findOneByOrFail(ExportEntity, { id });
    // It was put off, and its start told of.
    if (row.progress > 0) return;
    await raiseResourceEvents(manager, row, [{ event: 'svc.export.on_started', data: { export: presentExport(row) } }]);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const { id } = task.key;
    const row = await this.db.manager.findOneByOrFail(ExportEntity, { id });
    const file = await this.exported(row, task);
    if (file === null) {
      await releaseRow(this.db, task, askAgainSeconds(row), { blamed: false });
      return;
    }
    const { filename, mimeType, content, notes, onCompleted } = file;
    const artifactId = randomUUID();
    const objectKey = `${exportPrefix(id)}${artifactId}`;
    const { size } = await this.objects.put(objectKey, content);
    const artifact = {
      id: artifactId,
      exportId: id,
      filename,
      mimeType,
      objectKey,
      size: String(size),
      timeExpiration: await artifactExpiry(this.db.manager, row.workspaceId),
    };
    const kept = await this.outbox.transaction((manager) => this.completed(manager, task, artifact, notes));
    if (!kept) await this.objects.delete(objectKey);
    else await onCompleted?.();
  }

  /** Null when it waits for clips, or for true borders. */
  private exported(row: ExportEntity, task: ClaimedTask): Promise<ExportedFile | null> {
    const progress = (share: number): Promise<void> => this.goesOn(task, share);
    const { strategy } = row;
    switch (strategy) {
      case 'transcript_export':
        return transcriptFile(this.transcripts, row, progress);
      case 'job_results_export':
        return this.resultsFile(row, task);
      case 'segments_export':
        return 'search' in row.config ? this.found.file(row, task, progress) : this.segmentsFile(row, progress);
      case 'clips_export':
        return this.clips.file(row, progress);
      case 'basic_dataset_export':
      case 'coco_export':
        return datasetFile(this.db.manager, this.objects, { ...row, strategy }, progress);
    }
  }

  private async segmentsFile(
    row: ExportEntity,
    progress: (share: number) => Promise<void>,
  ): Promise<ExportedFile | null> {
    if (SegmentsExport.parse(row.config).refine !== true) return this.segments.file(row, progress);
    await this.segments.check(row);
    const refined = await this.borders.of(row, progress);
    if (refined === null) return null;
    const { borders, notes } = refined;
    const file = await this.segments.file(row, progress, borders);
    return { ...file, notes };
  }

  private async resultsFile(row: ExportEntity, task: ClaimedTask): Promise<ExportedFile> {
    const { job_id: jobId, format } = JobResultsExport.parse(row.config);
    const material = await this.material(row, jobId, task, format === 'zip' ? ZIP_PASSES : 1);
    const content = await this.file(material, format);
    const { extension, mimeType } = RESULT_FORMATS[format];
    return { filename: `results-${jobId}.${extension}`, mimeType, content };
  }

  /** Publishes the progress, 0..1. Throws NOT_FOUND when this process has lost the export. */
  private async goesOn(task: ClaimedTask, share: number): Promise<void> {
    const value = Math.min(0.99, share);
    if (await renewLease(this.db, task, TASK_LEASE_SECONDS, { set: 'progress = $2', value })) return;
    throw new AditError('NOT_FOUND', 'What was to be exported was deleted.');
  }

  /** Completes the export; false when it ended meanwhile, with its job, or another process has taken it over. */
  private async completed(
    manager: EntityManager,
    task: ClaimedTask,
    artifact: NewArtifact & Pick<ArtifactEntity, 'id'>,
    notes: string[] | undefined,
  ): Promise<boolean> {
    if (!(await isWanted(manager, task))) return false;
    const { id } = task.key;
    await completeExport(manager, id, artifact, notes);
    const made = presentArtifact(await manager.findOneByOrFail(ArtifactEntity, { id: artifact.id }));
    const row = await manager.findOneByOrFail(ExportEntity, { id });
    await raiseResourceEvents(manager, row, [
      { event: 'svc.export.artifact.on_created', data: { artifact: made } },
      { event: 'svc.export.on_completed', data: { export: presentExport(row) } },
    ]);
    return true;
  }

  private async material(
    { workspaceId }: ExportEntity,
    jobId: string,
    task: ClaimedTask,
    passes: number,
  ): Promise<Material> {
    const { manager } = this.db;
    const [job]: ShownRow[] = await manager.query(
      `SELECT ${shownColumns('whole')} FROM jobs j WHERE j.id = $1 AND j.workspace_id = $2 AND j.time_deleted IS NULL`,
      [jobId, workspaceId],
    );
    if (job === undefined) throw new AditError('NOT_FOUND', 'The job was deleted.');
    await nameSummaries(manager, workspaceId, [job]);
    const found = await manager.find(JobSourceEntity, { where: { jobId }, order: { index: 'ASC' } });
    const sources = await timedSources(manager, job, found);
    const done = { written: 0, total: job.segmentCount * passes };
    return { job, sources, segments: () => this.noted(job, task, done) };
  }

  /**
   * Yields the job's segments; publishes the progress after each page, and stops when this process has lost the
   * export.
   */
  private async *noted(
    job: ShownRow,
    task: ClaimedTask,
    done: { written: number; total: number },
  ): AsyncGenerator<SegmentEntity> {
    let read = 0;
    for await (const segment of this.results.segments(job.id)) {
      if (read === job.segmentCount) return;
      yield segment;
      read += 1;
      done.written += 1;
      if (done.written % SEGMENT_PAGE !== 0) continue;
      await this.goesOn(task, done.written / done.total);
    }
  }

  private async file(material: Material, format: Format): Promise<Readable> {
    const { job, sources } = material;
    const summaries = await this.results.summaries(job, sources);
    if (format === 'json') {
      const provenance = await provenanceOf(this.db.manager, job.id);
      const shown = presentJob(job, job.modules, '');
      return writeResultsJson({
        job: { ...shown, provenance },
        summary: [...shown.result.summary, ...summaries],
        detailedResults: this.withThumbnails(material),
      });
    }
    if (format === 'csv') return writeCsv(RESULT_COLUMNS, this.rows(material));
    if (format === 'zip') return writeZip(this.archive(material));
    const summaryRows = summaries.flatMap(({ source_name: name, source, module, type, meta }) =>
      Object.entries(meta).map(([category, value]): Cell[] => [name, source, module, type, category, value]),
    );
    return writeXlsx([
      { name: 'Results', columns: RESULT_COLUMNS, rows: this.rows(material), count: job.segmentCount },
      {
        name: 'Sums',
        columns: ['source_name', 'source', 'module', 'type', 'category', 'value'],
        rows: summaryRows,
        count: summaryRows.length,
      },
    ]);
  }

  /** Writes the tables, and the pictures as files: `pictures/000007.jpg` is that of the seventh result. */
  private async *archive(material: Material): AsyncGenerator<ZipEntry> {
    for (const format of ['json', 'csv'] as const) {
      yield { path: `results.${format}`, body: await this.file(material, format) };
    }
    for await (const { seq, thumbnail } of material.segments()) {
      const picture = thumbnail === null ? null : await this.results.picture(thumbnail.key);
      if (picture === null) continue;
      const path = `pictures/${String(seq + 1).padStart(6, '0')}.jpg`;
      yield { path, body: Readable.from([picture]), compress: false };
    }
  }

  private async *withThumbnails({ job, sources, segments }: Material): AsyncGenerator<DetailedResult> {
    yield* ahead(segments(), (segment) => this.results.withThumbnails(segment, job, sources));
  }

  private async *rows({ job, sources, segments }: Material): AsyncGenerator<Cell[]> {
    for await (const segment of segments()) {
      const { type, confidence } = segment;
      const result = this.results.shown(segment, job, sources);
      yield resultRow({ result, type, label: segmentLabel(segment), confidence });
    }
  }
}

function askAgainSeconds({ timeCreated }: ExportEntity): number {
  const age = Math.max(0, Date.now() - timeCreated.getTime()) / 1000;
  return Math.min(ASK_AGAIN_MOST_SECONDS, ASK_AGAIN_SECONDS + age / AGE_PER_SECOND);
}
