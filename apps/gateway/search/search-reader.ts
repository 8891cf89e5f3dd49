import type { SearchFacets, SearchResult } from '@adit/contracts';
import { isoTime } from '@adit/contracts';
import {
  JobEntity,
  JobSourceEntity,
  SegmentEntity,
  type TranscriptParagraphEntity,
  type TranscriptVariantEntity,
} from '@adit/database';
import { foundSegments } from '@adit/indexes';
import { findableOf, ModuleRegistry, type FindableText } from '@adit/module-kit';
import { nameOfSource, presentSegment, segmentLabel, timedSources, type TimedSource } from '@adit/presentation';
import { PostgresIndex, wantedTerms, type FoundDocument, type Question, type Term } from '@adit/search';
import { newestParagraphs } from '@adit/transcript-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import { nearness } from '../faces/searched-people.js';
import { Thumbnails } from '../results/thumbnails.js';
import { matchesOf } from './matches.js';

interface FoundResults {
  results: SearchResult[];
  /** Place behind the page; null at the end. */
  next: string | null;
  /** False: parts of words and misspelt words were not all looked for. */
  isComplete: boolean;
}

/** A result as it is now, and its texts. */
interface Shown {
  segment: SegmentEntity;
  texts: FindableText[];
  transcript: SearchResult['transcript'];
}

/** What results of one job have in common. */
interface JobShown {
  job: JobEntity;
  sources: ReadonlyMap<number, TimedSource>;
}

/** Answers questions: the index says which results, and the results themselves are read, so that what is gone never shows. */
@Injectable()
export class SearchReader {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(Thumbnails) private readonly thumbnails: Thumbnails,
    @Inject(PostgresIndex) private readonly index: PostgresIndex,
  ) {}

  async page(
    question: Question,
    { after, skip, limit, baseUrl }: { after: string | null; skip: number; limit: number; baseUrl: string },
  ): Promise<FoundResults> {
    // One more tells whether there is a next page.
    const { documents: found, isComplete } = await this.index.find(question, { after, limit: skip + limit + 1 });
    const here = found.slice(skip, skip + limit);
    const next = found.length > skip + limit ? (here.at(-1)?.place ?? null) : null;
    const terms = wantedTerms(question.query);
    return { next, isComplete, results: await this.present(question.workspaceId, here, { terms, baseUrl }) };
  }

  count(question: Question) {
    return this.index.count(question);
  }

  /** Modules under the names that results carry. */
  async facets(question: Question): Promise<SearchFacets> {
    const facets = await this.index.facets(question);
    return { ...facets, module: facets.module.map(({ value, count }) => ({ value: this.resultName(value), count })) };
  }

  isFuzzy(): Promise<boolean> {
    return this.index.isFuzzy();
  }

  private async present(
    workspaceId: string,
    found: readonly FoundDocument[],
    { terms, baseUrl }: { terms: readonly Term[]; baseUrl: string },
  ): Promise<SearchResult[]> {
    const jobs = await this.jobs(workspaceId, found);
    const segments = await foundSegments(this.db.manager, workspaceId, found);
    const paragraphs = await this.paragraphs(found);
    const pictures = await this.thumbnails.read(
      [...segments.values()].flatMap(({ thumbnail }) => thumbnail?.key ?? []),
    );
    const results: SearchResult[] = [];
    for (const document of found) {
      const job = jobs.get(document.jobId);
      const shown =
        document.key.paragraph === null
          ? this.shownSegment(segments.get(document))
          : (paragraphs.get(placeOf(document.key.paragraph)) ?? null);
      // Changed or gone since it was indexed: it is about to be indexed again.
      if (job === undefined || shown === null) continue;
      const { texts, segment } = shown;
      const matches = await matchesOf(this.index, terms, { texts, isExact: document.isExact });
      const thumbnail = segment.thumbnail === null ? null : (pictures.get(segment.thumbnail.key) ?? null);
      results.push(this.result(document, { job, shown, thumbnail, matches, baseUrl }));
    }
    return results;
  }

  private result(
    { key, jobId, sourceIndex, language, isExact, distance }: FoundDocument,
    around: {
      job: JobShown;
      shown: Shown;
      thumbnail: string | null;
      matches: SearchResult['matches'];
      baseUrl: string;
    },
  ): SearchResult {
    const { job, shown, thumbnail, matches, baseUrl } = around;
    const { uri = '', name = null, facts = null, zeroAt } = job.sources.get(sourceIndex) ?? {};
    const { mediaType } = job.job;
    const {
      meta: _,
      detections: __,
      ...place
    } = presentSegment(shown.segment, {
      ...{ mediaType, source: uri, sourceName: nameOfSource(uri, name), facts, zeroAt, thumbnail },
      resultName: this.resultName(shown.segment.moduleId),
    });
    const { transcript } = shown;
    return {
      ...place,
      ...{ job_id: jobId, number: key.seq, transcript, source_index: sourceIndex, language, matches },
      type: shown.segment.type,
      link: `${baseUrl}/api/v1/${transcript === null ? segmentPath(jobId, shown.segment.seq) : paragraphPath(transcript)}`,
      exact: isExact,
      likeness: distance === null ? null : nearness(distance),
      tag: job.job.tag,
      batch_id: job.job.batchId,
      time_created: isoTime(job.job.timeCreated),
    };
  }

  private async jobs(workspaceId: string, found: readonly FoundDocument[]): Promise<Map<string, JobShown>> {
    const ids = [...new Set(found.map(({ jobId }) => jobId))];
    const rows = await this.db.manager.findBy(JobEntity, { id: In(ids), workspaceId, timeDeleted: IsNull() });
    const jobs = new Map<string, JobShown>();
    for (const job of rows) {
      const index = In([...new Set(found.flatMap((each) => (each.jobId === job.id ? [each.sourceIndex] : [])))]);
      const sources = await timedSources(
        this.db,
        job,
        await this.db.manager.findBy(JobSourceEntity, { jobId: job.id, index }),
      );
      jobs.set(job.id, { job, sources: new Map(sources.map((source) => [source.index, source])) });
    }
    return jobs;
  }

  /** Paragraphs of newest versions by their ids. */
  private async paragraphs(found: readonly FoundDocument[]): Promise<Map<string, Shown>> {
    const places = new Map(
      found.flatMap((document): [string, FoundDocument][] =>
        document.key.paragraph === null ? [] : [[placeOf(document.key.paragraph), document]],
      ),
    );
    const keys = found.flatMap(({ key: { paragraph } }) => paragraph ?? []);
    const there = await newestParagraphs(this.db.manager, keys);
    return new Map(
      there.flatMap(({ paragraph, variant }): [string, Shown][] => {
        const document = places.get(placeOf(paragraph));
        return document === undefined ? [] : [[placeOf(paragraph), shownParagraph(paragraph, variant, document)]];
      }),
    );
  }

  private shownSegment(segment: SegmentEntity | undefined): Shown | null {
    if (segment === undefined) return null;
    const { texts } = findableOf(this.modules.find(segment.moduleId), { ...segment, label: segmentLabel(segment) });
    return { segment, texts, transcript: null };
  }

  private resultName(moduleId: string): string {
    return this.modules.find(moduleId)?.resultName ?? moduleId;
  }
}

/** A copied variant has paragraphs with the ids of the original's. */
function placeOf({ variantId, id }: { variantId: string; id: string }): string {
  return `${variantId} ${id}`;
}

function shownParagraph(
  { id, variantId, text, speaker, timeStart, timeEnd, jobId }: TranscriptParagraphEntity,
  { transcriptId, latestVersion: version, language }: TranscriptVariantEntity,
  { moduleId, type, sourceIndex }: FoundDocument,
): Shown {
  const segment = Object.assign(new SegmentEntity(), {
    ...{ jobId, seq: -1, moduleId, type, label: type, sourceIndex, timeStart, timeEnd },
    ...{ frameStart: null, frameEnd: null, confidence: 1, meta: {}, detections: [], thumbnail: null, keyFrame: null },
    ...{ identityNumber: null, indexId: null },
  });
  const texts: FindableText[] = [{ field: 'said', text, language }];
  if (speaker !== null && speaker !== '') texts.push({ field: 'who', text: speaker });
  const transcript = { transcript_id: transcriptId, variant_id: variantId, version, paragraph_id: id };
  return { segment, texts, transcript };
}

function segmentPath(jobId: string, number: number): string {
  return `jobs/${jobId}/detailed-results/?offset=${number}&limit=1`;
}

function paragraphPath({
  transcript_id: transcript,
  variant_id: variant,
  version,
  paragraph_id: paragraph,
}: NonNullable<SearchResult['transcript']>): string {
  return `transcripts/${transcript}/variants/${variant}/versions/${version}/paragraphs/${paragraph}/`;
}
