import type { DetailedResult, PageQuery, StreamGap, SummarizedResult } from '@adit/contracts';
import {
  containing,
  JobModuleEntity,
  JobSourceEntity,
  offsetOf,
  placeOf,
  readPage,
  SegmentEntity,
  StreamGapEntity,
  SummaryEntity,
  type FoundPage,
  type JobEntity,
} from '@adit/database';
import { nameSegments } from '@adit/indexes';
import { nameOfSource, presentSegment, segmentTextMatches, timedSources, type TimedSource } from '@adit/presentation';
import { presentGap } from '@adit/streams';
import { ModuleRegistry } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Thumbnails } from './thumbnails.js';

type Page = Pick<PageQuery, 'offset' | 'limit' | 'cursor'>;

interface SegmentFilter extends Page {
  module?: string | undefined;
  type?: string | undefined;
  label?: string | undefined;
  time_start?: number | undefined;
  time_end?: number | undefined;
  min_confidence?: number | undefined;
}

interface Found<T> {
  total: number;
  data: T[];
  next: string | null;
}

/** The read side of results. */
@Injectable()
export class ResultReader {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(Thumbnails) private readonly thumbnails: Thumbnails,
  ) {}

  /**
   * Segments in order of emission. Unfiltered or by module a page is one range of a dense index and its total a counter,
   * so the last page costs what the first one does; the other filters count and skip.
   */
  async segments(job: JobEntity, filter: SegmentFilter): Promise<Found<DetailedResult>> {
    const moduleId = this.moduleId(filter.module);
    if (moduleId === null) return { total: 0, data: [], next: null };
    const { total, rows, next } = isDense(filter)
      ? await this.denseRange(job, moduleId, filter)
      : await this.filtered(job, moduleId, filter);
    return { total, next, data: await this.present(job, rows) };
  }

  async summaries(
    job: JobEntity,
    { module, type, ...page }: Page & { module?: string | undefined; type?: string | undefined },
  ): Promise<Found<SummarizedResult>> {
    const moduleId = this.moduleId(module);
    if (moduleId === null) return { total: 0, data: [], next: null };
    const found = this.db.manager
      .createQueryBuilder(SummaryEntity, 's')
      .where({ jobId: job.id, ...(moduleId && { moduleId }), ...(type !== undefined && { type }) });
    const { rows, total, next } = await readPage(found, page, [{ by: 's.seq', kind: 'number' }]);
    const sources = await this.sources(
      job,
      rows.map(({ sourceIndex }) => sourceIndex),
    );
    const data = rows.map(({ id, sourceIndex, moduleId: of, type: kind, meta }) => {
      const { uri = '', name = null } = sources.get(sourceIndex) ?? {};
      return { id, source: uri, source_name: nameOfSource(uri, name), module: this.resultName(of), type: kind, meta };
    });
    return { total, data, next };
  }

  /** Gaps of the job's live stream, the oldest first. */
  async gaps(job: JobEntity, page: Page): Promise<Found<StreamGap>> {
    const found = this.db.manager.createQueryBuilder(StreamGapEntity, 'g').where({ jobId: job.id });
    const { rows, total, next } = await readPage(found, page, [{ by: 'g.seq', kind: 'number' }]);
    return { total, next, data: rows.map(presentGap) };
  }

  private async denseRange(
    job: JobEntity,
    moduleId: string | undefined,
    page: Page,
  ): Promise<FoundPage<SegmentEntity>> {
    const column = moduleId === undefined ? 'seq' : 'moduleSeq';
    const { manager } = this.db;
    const module =
      moduleId === undefined ? null : await manager.findOneBy(JobModuleEntity, { jobId: job.id, moduleId });
    const total = moduleId === undefined ? job.segmentCount : (module?.segmentCount ?? 0);
    // Nothing is ever taken out of it: where a page ended is a number, too.
    const offset = offsetOf(page);
    const { limit } = page;
    // An offset may be a larger number than the column can be compared with.
    if (offset >= total) return { total, rows: [], next: null };
    const query = manager
      .createQueryBuilder(SegmentEntity, 's')
      .where(`s.jobId = :jobId AND s.${column} >= :from AND s.${column} < :to`, {
        jobId: job.id,
        from: offset,
        to: offset + limit,
      })
      .orderBy(`s.${column}`);
    if (moduleId !== undefined) query.andWhere('s.moduleId = :moduleId', { moduleId });
    return { total, rows: await query.getMany(), next: offset + limit < total ? placeOf([offset + limit]) : null };
  }

  private async filtered(job: JobEntity, moduleId: string | undefined, filter: SegmentFilter) {
    const query = this.db.manager.createQueryBuilder(SegmentEntity, 's').where('s.jobId = :jobId', { jobId: job.id });
    const { type, label, time_start: from, time_end: to, min_confidence: least } = filter;
    if (moduleId !== undefined) query.andWhere('s.moduleId = :moduleId', { moduleId });
    if (type !== undefined) query.andWhere('s.type = :type', { type });
    if (from !== undefined) query.andWhere('s.timeEnd >= :from', { from });
    if (to !== undefined) query.andWhere('s.timeStart <= :to', { to });
    if (least !== undefined) {
      // A caption is no surer than another as far as a client can see: what shows no confidence has none to filter by.
      query.andWhere(
        `s.confidence >= :least AND jsonb_exists_any(s.meta, ARRAY['confidence', 'mean_confidence', 'similarity'])`,
        { least },
      );
    }
    if (label !== undefined) {
      query.andWhere(segmentTextMatches(':patterns'), { patterns: [containing(label)] });
    }
    return readPage(query, filter, [{ by: 's.seq', kind: 'number' }]);
  }

  private async present(job: JobEntity, rows: SegmentEntity[]): Promise<DetailedResult[]> {
    await nameSegments(this.db.manager, job.workspaceId, rows);
    const sources = await this.sources(
      job,
      rows.map(({ sourceIndex }) => sourceIndex),
    );
    const pictures = await this.thumbnails.read(rows.flatMap(({ thumbnail }) => thumbnail?.key ?? []));
    return rows.map((row) => {
      const { uri = '', name = null, facts = null, zeroAt } = sources.get(row.sourceIndex) ?? {};
      return presentSegment(row, {
        mediaType: job.mediaType,
        source: uri,
        sourceName: nameOfSource(uri, name),
        facts,
        zeroAt,
        resultName: this.resultName(row.moduleId),
        thumbnail: row.thumbnail === null ? null : (pictures.get(row.thumbnail.key) ?? null),
      });
    });
  }

  /** By index. */
  private async sources(job: JobEntity, indexes: number[]): Promise<Map<number, TimedSource>> {
    if (indexes.length === 0) return new Map();
    const index = In([...new Set(indexes)]);
    const sources = await this.db.manager.findBy(JobSourceEntity, { jobId: job.id, index });
    const timed = await timedSources(this.db, job, sources);
    return new Map(timed.map((source) => [source.index, source]));
  }

  /** Undefined without a filter; null for a name that nothing has, so that nothing is found. */
  private moduleId(name: string | undefined): string | undefined | null {
    if (name === undefined) return undefined;
    const found = this.modules.find(name) ?? this.modules.modules.find(({ resultName }) => resultName === name);
    return found?.id ?? null;
  }

  /** A module that was taken out of the installation still answers for its old results. */
  private resultName(moduleId: string): string {
    return this.modules.find(moduleId)?.resultName ?? moduleId;
  }
}

function isDense({ type, label, time_start: from, time_end: to, min_confidence: least }: SegmentFilter): boolean {
  return [type, label, from, to, least].every((value) => value === undefined);
}
