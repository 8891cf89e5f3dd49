import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { DetailedResult, StoredSummary } from '@adit/contracts';
import {
  databaseNow,
  JobEntity,
  type JobModuleEntity,
  JobSourceEntity,
  type SegmentEntity,
  SummaryEntity,
} from '@adit/database';
import { replaceArtifacts, type NewArtifact } from '@adit/artifacts';
import { nameSummaries } from '@adit/indexes';
import {
  nameOfSource,
  presentJob,
  provenanceOf,
  segmentLabel,
  timedSources,
  type ShownJob,
  type TimedSource,
} from '@adit/presentation';
import { artifactKey, endedAt, endOf, type LockedJob } from '@adit/jobs';
import { timecodeClockOf } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import {
  ahead,
  first,
  REPORT_HTML,
  RESULTS_JSON,
  writeReport,
  writeResultsJson,
  type ReportSegment,
  type ReportSource,
} from '@adit/report';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { JobResults } from './job-results.js';
import { JobSummary } from './job-summary.js';
import { ModuleFiles } from './module-files.js';

const log = createLogger('aggregator');
/** Segments that the report of a job shows, the first ones: it is for people. results.json has them all. */
const REPORT_SEGMENTS = 2_000;
/** Maximum number of summary rows: five for each film. */
const REPORT_SUMMARIES = 5_000;

interface Material {
  job: JobEntity & ShownJob;
  modules: JobModuleEntity[];
  sources: TimedSource[];
  /** First segments, read once for both artifacts. */
  firstPage: SegmentEntity[];
}

/** A job whose modules have all ended, with its modules. */
export type EndedJob = Pick<LockedJob, 'job' | 'modules'>;

/** Files of a job that are written but have no rows yet. */
export interface JobFiles {
  artifacts: NewArtifact[];
  summary: StoredSummary[];
  /** Time of the job's end in the files. */
  timeCompleted: Date;
}

/** Writes the files of a finished job: its summary, results.json, report.html, and the files of its modules. */
@Injectable()
export class JobArtifacts {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(JobResults) private readonly results: JobResults,
    @Inject(JobSummary) private readonly summary: JobSummary,
    @Inject(ModuleFiles) private readonly moduleFiles: ModuleFiles,
  ) {}

  /** Writes the files of a job that ends now. They count once their rows are stored. */
  async write({ job, modules }: EndedJob): Promise<JobFiles> {
    const jobId = job.id;
    const found = await this.db.manager.find(JobSourceEntity, { where: { jobId }, order: { index: 'ASC' } });
    const sources = await timedSources(this.db, job, found);
    const summary = await this.summary.of(job, sources);
    // Stored names are resolved whenever they are read; a file holds the current ones.
    const named = structuredClone(summary);
    await nameSummaries(this.db.manager, job.workspaceId, [{ summary: named }]);
    const timeCompleted = await databaseNow(this.db);
    const end = endedAt(job, endOf(modules.map(({ state }) => state)), timeCompleted);
    const given = { sources: sources.map(({ uri }) => uri), names: sources.map(({ name }) => name) };
    const shown = { ...end, ...given, summary: named, sourceCount: sources.length };
    const material: Material = {
      job: Object.assign(new JobEntity(), job, shown),
      modules,
      sources,
      firstPage: await this.results.page(jobId, 0),
    };
    return { artifacts: await this.writeFiles(material), summary, timeCompleted };
  }

  /**
   * Writes all of them or none: each attempt writes its own, and while the object store is unavailable there are
   * many.
   */
  private async writeFiles(material: Material): Promise<JobFiles['artifacts']> {
    const { job, modules } = material;
    const both = await Promise.allSettled([
      this.resultsJson(material).then((body) => this.put(job.id, 'results.json', RESULTS_JSON.mimeType, body)),
      this.report(material).then((body) => this.put(job.id, 'report.html', REPORT_HTML.mimeType, body)),
    ]);
    const artifacts = both.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    try {
      for (const one of both) if (one.status === 'rejected') throw one.reason;
      for await (const { filename, mimeType, body } of this.moduleFiles.of(modules)) {
        artifacts.push(await this.put(job.id, filename, mimeType, body));
      }
      return artifacts;
    } catch (error) {
      await this.remove(artifacts.map(({ objectKey }) => objectKey)).catch((left: unknown) => {
        log.debug({ jobId: job.id, err: left }, 'a file of an end that failed stays for as long as the job');
      });
      throw error;
    }
  }

  /** Makes them the job's, in place of what a former end wrote. Returns the keys of what is to be deleted for that. */
  store(
    manager: EntityManager,
    job: Pick<JobEntity, 'id' | 'workspaceId'>,
    { artifacts }: JobFiles,
  ): Promise<string[]> {
    return replaceArtifacts(manager, job, artifacts);
  }

  /** Removes files that no row names. */
  async remove(objectKeys: string[]): Promise<void> {
    for (const objectKey of objectKeys) await this.objects.delete(objectKey);
  }

  private async put(jobId: string, filename: string, mimeType: string, body: Readable) {
    const id = randomUUID();
    const objectKey = artifactKey(jobId, id);
    const { size } = await this.objects.put(objectKey, body);
    return { id, jobId, filename, mimeType, objectKey, size: String(size) };
  }

  private async resultsJson(material: Material): Promise<Readable> {
    const { job, modules, sources } = material;
    const provenance = await provenanceOf(this.db.manager, job.id);
    const shown = presentJob(job, modules, '');
    return writeResultsJson({
      job: { ...shown, provenance },
      summary: [...shown.result.summary, ...(await this.results.summaries(job, sources))],
      detailedResults: this.detailedResults(material),
    });
  }

  private async *detailedResults(material: Material): AsyncGenerator<DetailedResult> {
    const { job, sources } = material;
    yield* ahead(this.segments(material), (segment) => this.results.withThumbnails(segment, job, sources));
  }

  private async report(material: Material): Promise<Readable> {
    const { job, modules, sources } = material;
    const segments: ReportSegment[] = [];
    for await (const row of first(REPORT_SEGMENTS, this.segments(material))) {
      segments.push(this.reportSegment(row, job, sources));
    }
    const summaries = await this.db.manager.find(SummaryEntity, {
      where: { jobId: job.id },
      order: { seq: 'ASC' },
      take: REPORT_SUMMARIES,
    });
    return writeReport({
      job: presentJob(job, modules, ''),
      sources: sources.map((source) => reportSource(source, job)),
      segments,
      summaries: summaries.map(({ sourceIndex, type, meta }) => ({ sourceIndex, type, meta })),
      segmentTotal: job.segmentCount,
    });
  }

  private reportSegment(row: SegmentEntity, job: JobEntity, sources: TimedSource[]): ReportSegment {
    const shown = this.results.shown(row, job, sources);
    const { thumbnail, keyFrame } = row;
    // Results name the closest match only of people labelled unknown; readers expect it of Unknown #2 as well.
    const closest = row.meta['closest_person'];
    return {
      module: shown.module,
      seq: row.seq,
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
      meta: closest === undefined ? shown.meta : { ...shown.meta, closest_person: closest },
      detections: row.detections,
      thumbnail: thumbnail && (() => this.results.picture(thumbnail.key)),
      keyFrame: keyFrame && {
        frame: keyFrame.frame,
        jpeg: () => this.results.picture(keyFrame.picture.key),
        width: keyFrame.picture.width,
        height: keyFrame.picture.height,
      },
    };
  }

  private segments({ job, firstPage }: Material): AsyncGenerator<SegmentEntity> {
    return this.results.segments(job.id, firstPage);
  }
}

function reportSource({ uri, name, facts }: JobSourceEntity, job: JobEntity): ReportSource {
  const film = facts?.kind === 'video' ? facts : null;
  return {
    source: uri,
    name: nameOfSource(uri, name),
    mediaType: job.mediaType,
    fps: film === null ? null : film.fps.num / film.fps.den,
    resolution: facts !== null && 'width' in facts ? [facts.width, facts.height] : null,
    duration: facts !== null && 'duration' in facts ? facts.duration : null,
    startTimecode: film?.startTimecode ?? null,
    timecodeRate: film === null ? null : timecodeClockOf(film).perSecond,
  };
}
