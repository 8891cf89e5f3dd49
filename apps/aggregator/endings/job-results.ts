import { nullIfGone, type DetailedResult, type SummarizedResult } from '@adit/contracts';
import { JobEntity, SegmentEntity, SummaryEntity, type JobSourceEntity } from '@adit/database';
import { nameSegments } from '@adit/indexes';
import { nameOfSource, presentSegment, type TimedSource } from '@adit/presentation';
import { ModuleRegistry } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, MoreThanOrEqual, type FindManyOptions } from 'typeorm';

export const SEGMENT_PAGE = 200;

/** A segment without its detections and pictures, most of its bytes, which lists of cuts do not need. */
export type PlainSegment = Omit<SegmentEntity, 'detections' | 'thumbnail' | 'keyFrame' | 'teaches'>;

const PLAIN: Record<keyof PlainSegment, true> = {
  ...{ jobId: true, seq: true, moduleId: true, moduleSeq: true, sourceIndex: true },
  ...{ frameStart: true, frameEnd: true, timeStart: true, timeEnd: true },
  ...{ type: true, label: true, confidence: true, meta: true },
  ...{ identityCollection: true, identityNumber: true, indexId: true },
};

/** Reads all results of a job for its files, a page in memory at a time. */
@Injectable()
export class JobResults {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(ModuleRegistry) readonly registry: ModuleRegistry,
  ) {}

  /** Returns all segments in emission order; `first` when its first page was read already. */
  async *segments(jobId: string, first?: SegmentEntity[]): AsyncGenerator<SegmentEntity> {
    let page = first ?? (await this.page(jobId, 0));
    for (let from = SEGMENT_PAGE; ; from += SEGMENT_PAGE) {
      yield* page;
      if (page.length < SEGMENT_PAGE) return;
      page = await this.page(jobId, from);
    }
  }

  async page(jobId: string, from: number): Promise<SegmentEntity[]> {
    return this.found(jobId, { where: { jobId, seq: MoreThanOrEqual(from) }, take: SEGMENT_PAGE });
  }

  /** Returns segments by their numbers in the job, in the order given. */
  async numbered(jobId: string, seqs: readonly number[]): Promise<PlainSegment[]> {
    const rows = await this.found(jobId, { where: { jobId, seq: In([...seqs]) }, select: PLAIN });
    const bySeq = new Map(rows.map((row) => [row.seq, row]));
    return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
  }

  /** Returns the module of a name: its id, or the name that results carry. Undefined for an unknown name. */
  moduleId(name: string): string | undefined {
    return (this.registry.find(name) ?? this.registry.modules.find(({ resultName }) => resultName === name))?.id;
  }

  private async found(jobId: string, wanted: FindManyOptions<SegmentEntity>): Promise<SegmentEntity[]> {
    const rows = await this.db.manager.find(SegmentEntity, { ...wanted, order: { seq: 'ASC' } });
    if (rows.some(({ indexId }) => indexId !== null)) {
      const { workspaceId } = await this.db.manager.findOneByOrFail(JobEntity, { id: jobId });
      await nameSegments(this.db.manager, workspaceId, rows);
    }
    return rows;
  }

  /** Returns a segment as the API shows it, without its picture. */
  shown(
    segment: SegmentEntity,
    job: Pick<JobEntity, 'mediaType'>,
    sources: TimedSource[],
    thumbnail: string | null = null,
  ): DetailedResult {
    const { uri = '', name = null, facts = null, zeroAt } = sources[segment.sourceIndex] ?? {};
    return presentSegment(segment, {
      mediaType: job.mediaType,
      source: uri,
      sourceName: nameOfSource(uri, name),
      facts,
      zeroAt,
      resultName: this.resultName(segment.moduleId),
      thumbnail,
    });
  }

  /** Returns a segment with its picture. */
  async withThumbnails(
    segment: SegmentEntity,
    job: Pick<JobEntity, 'mediaType'>,
    sources: TimedSource[],
  ): Promise<DetailedResult> {
    const picture = segment.thumbnail === null ? null : await this.picture(segment.thumbnail.key);
    return this.shown(segment, job, sources, picture?.toString('base64') ?? null);
  }

  async summaries(job: Pick<JobEntity, 'id'>, sources: JobSourceEntity[]): Promise<SummarizedResult[]> {
    const rows = await this.db.manager.find(SummaryEntity, { where: { jobId: job.id }, order: { seq: 'ASC' } });
    return rows.map(({ id, sourceIndex, moduleId, type, meta }) => {
      const { uri = '', name = null } = sources[sourceIndex] ?? {};
      return { id, source: uri, source_name: nameOfSource(uri, name), module: this.resultName(moduleId), type, meta };
    });
  }

  /** Reads a JPEG; null when it is gone. */
  picture(key: string): Promise<Buffer | null> {
    return this.objects.read(key).catch(nullIfGone);
  }

  /** A module that was removed from the installation keeps its old results. */
  private resultName(moduleId: string): string {
    return this.registry.find(moduleId)?.resultName ?? moduleId;
  }
}
