import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { DetailedResult, SummarizedResult } from '@adit/contracts';
import {
  ArtifactEntity,
  JobEntity,
  type JobModuleEntity,
  JobSourceEntity,
  SegmentEntity,
  SummaryEntity,
} from '@adit/database';
import { artifactKey, LockedJob, OutboxRelay, presentJob, presentSegment, returned, segmentLabel } from '@adit/jobs';
import { ModuleRegistry } from '@adit/mining';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { renderReport, writeResultsJson, type ReportSegment, type ReportSource } from '@adit/report';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, MoreThanOrEqual } from 'typeorm';
import { JobSummary } from './job-summary.js';

const log = createLogger('aggregator');
const LIFETIME_MILLISECONDS = 7 * 24 * 3_600_000;
const PAGE = 200;
/** A report is for people: of a job with more segments it shows the first. results.json has them all. */
const REPORT_SEGMENTS = 2_000;
/** Rows of sums: five for each film. */
const REPORT_SUMS = 5_000;

interface Material {
  job: JobEntity;
  modules: JobModuleEntity[];
  sources: JobSourceEntity[];
  /** Its first segments, read once for both artifacts. */
  firstPage: SegmentEntity[];
}

/** Writes what a finished job leaves behind: its summary, results.json and report.html. */
@Injectable()
export class JobArtifacts {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
    @Inject(JobSummary) private readonly summary: JobSummary,
  ) {}

  /** Ends a job whose modules have all ended. What a former try wrote is replaced. */
  async finish({ job, modules }: Pick<LockedJob, 'job' | 'modules'>): Promise<void> {
    const jobId = job.id;
    const sources = await this.db.manager.find(JobSourceEntity, { where: { jobId }, order: { index: 'ASC' } });
    const summary = await this.summary.of(job, sources);
    const failed = modules.every((module) => module.state === 'failed');
    // The artifacts show the job as it is a moment later.
    const material: Material = {
      job: Object.assign(new JobEntity(), job, {
        summary,
        state: failed ? 'failed' : 'completed',
        progress: failed ? job.progress : 1,
        timeCompleted: new Date(),
      }),
      modules,
      sources,
      firstPage: await this.page(jobId, 0),
    };
    const artifacts = await Promise.all([
      this.resultsJson(material).then((body) => this.put(jobId, 'results.json', 'application/json', body)),
      this.report(material).then((body) => this.put(jobId, 'report.html', 'text/html; charset=utf-8', body)),
    ]);
    const replaced = await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (!locked?.isActive) return artifacts.map(({ objectKey }) => objectKey);
      const old = returned<{ object_key: string }>(
        await manager.query('DELETE FROM artifacts WHERE job_id = $1 RETURNING object_key', [jobId]),
      );
      await manager.insert(ArtifactEntity, artifacts);
      locked.job.summary = summary;
      await locked.apply({ kind: 'finished' });
      return old.map((row) => row.object_key);
    });
    for (const objectKey of replaced) await this.objects.delete(objectKey);
  }

  private async put(jobId: string, filename: string, mimeType: string, body: Readable | Buffer) {
    const id = randomUUID();
    const objectKey = artifactKey(jobId, id);
    const { size } = await this.objects.put(objectKey, body);
    const timeExpiration = new Date(Date.now() + LIFETIME_MILLISECONDS);
    return { id, jobId, filename, mimeType, objectKey, size: String(size), timeExpiration };
  }

  private async resultsJson(material: Material): Promise<Readable> {
    const { job, modules } = material;
    const rows = await this.db.manager.find(SummaryEntity, { where: { jobId: job.id }, order: { seq: 'ASC' } });
    const summarized = rows.map(({ id, sourceIndex, moduleId, type, meta }): SummarizedResult => ({
      id,
      source: job.sources[sourceIndex]!,
      module: this.registry.get(moduleId).resultName,
      type,
      meta,
    }));
    return writeResultsJson({
      job: presentJob(job, modules, ''),
      summary: [...job.summary, ...summarized],
      detailedResults: this.detailedResults(material),
    });
  }

  private async *detailedResults(material: Material): AsyncGenerator<DetailedResult> {
    const { job, sources } = material;
    for await (const segment of this.segments(material)) {
      const picture = segment.thumbnail === null ? null : await this.picture(segment.thumbnail.key);
      yield presentSegment(segment, {
        mediaType: job.mediaType,
        source: job.sources[segment.sourceIndex]!,
        facts: sources[segment.sourceIndex]?.facts ?? null,
        resultName: this.registry.get(segment.moduleId).resultName,
        thumbnail: picture?.toString('base64') ?? null,
      });
    }
  }

  private async report(material: Material): Promise<Buffer> {
    const { job, modules, sources } = material;
    const segments: ReportSegment[] = [];
    for await (const row of this.segments(material)) {
      if (segments.length === REPORT_SEGMENTS) break;
      segments.push(await this.reportSegment(row, job, sources));
    }
    const sums = await this.db.manager.find(SummaryEntity, {
      where: { jobId: job.id },
      order: { seq: 'ASC' },
      take: REPORT_SUMS,
    });
    const html = await renderReport({
      job: presentJob(job, modules, ''),
      sources: sources.map((source) => reportSource(source, job)),
      segments,
      sums: sums.map(({ sourceIndex, type, meta }) => ({ sourceIndex, type, meta })),
      segmentTotal: job.segmentCount,
    });
    return Buffer.from(html);
  }

  private async reportSegment(row: SegmentEntity, job: JobEntity, sources: JobSourceEntity[]): Promise<ReportSegment> {
    const shown = presentSegment(row, {
      mediaType: job.mediaType,
      source: job.sources[row.sourceIndex]!,
      facts: sources[row.sourceIndex]?.facts ?? null,
      resultName: this.registry.get(row.moduleId).resultName,
      thumbnail: null,
    });
    const jpeg = row.keyFrame === null ? null : await this.picture(row.keyFrame.picture.key);
    return {
      module: shown.module,
      type: row.type,
      label: segmentLabel(row),
      sourceIndex: row.sourceIndex,
      timeStart: row.timeStart,
      timeEnd: row.timeEnd,
      tcStart: shown.tc_start,
      tcEnd: shown.tc_end,
      frameStart: row.frameStart,
      frameEnd: row.frameEnd,
      confidence: row.confidence,
      meta: shown.meta,
      detections: row.detections,
      thumbnail: row.thumbnail === null ? null : await this.picture(row.thumbnail.key),
      keyFrame:
        jpeg === null
          ? null
          : {
              frame: row.keyFrame!.frame,
              jpeg,
              width: row.keyFrame!.picture.width,
              height: row.keyFrame!.picture.height,
            },
    };
  }

  /** All segments of a job in emission order, a page in memory at a time. */
  private async *segments({ job, firstPage }: Material): AsyncGenerator<SegmentEntity> {
    let page = firstPage;
    for (let from = PAGE; ; from += PAGE) {
      yield* page;
      if (page.length < PAGE) return;
      page = await this.page(job.id, from);
    }
  }

  private page(jobId: string, from: number): Promise<SegmentEntity[]> {
    const where = { jobId, seq: MoreThanOrEqual(from) };
    return this.db.manager.find(SegmentEntity, { where, order: { seq: 'ASC' }, take: PAGE });
  }

  private async picture(key: string): Promise<Buffer | null> {
    try {
      return await this.objects.read(key);
    } catch (error) {
      log.warn({ key, err: error }, 'a picture of a segment cannot be read');
      return null;
    }
  }
}

function reportSource({ uri, facts }: JobSourceEntity, job: JobEntity): ReportSource {
  const film = facts?.kind === 'video' ? facts : null;
  return {
    source: uri,
    mediaType: job.mediaType,
    fps: film === null ? null : film.fps.num / film.fps.den,
    resolution: facts === null || facts.kind === 'audio' ? null : [facts.width, facts.height],
    duration: film?.duration ?? null,
    startTimecode: film?.startTimecode ?? null,
  };
}
