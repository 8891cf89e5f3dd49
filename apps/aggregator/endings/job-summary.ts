import { type MediaFacts, type StoredSummary, identityLabel } from '@adit/contracts';
import type { JobEntity, JobSourceEntity } from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

interface LabelRow {
  source_index: number;
  type: string;
  label: string;
  identity_number: number | null;
  index_id: string | null;
  module_id: string;
}

/** Summarises the results: every distinct label of each source, in the order it first appears. */
@Injectable()
export class JobSummary {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
  ) {}

  async of(job: JobEntity, sources: JobSourceEntity[]): Promise<StoredSummary[]> {
    const rows: LabelRow[] = await this.db.query(
      `SELECT source_index, type, CASE WHEN identity_number IS NULL THEN label END AS label, identity_number, module_id, index_id
         FROM segments WHERE job_id = $1 GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY min(seq)`,
      [job.id],
    );
    return sources.map(({ index, uri, facts }) => ({
      source: uri,
      media_type: job.mediaType,
      info: infoOf(facts),
      items: rows
        .filter((row) => row.source_index === index)
        .map(({ type, label, identity_number, module_id, index_id }) => ({
          type,
          label: identity_number === null ? label : identityLabel(identity_number),
          module: this.modules.get(module_id).resultName,
          // The name may be assigned later: readers look it up.
          ...(index_id === null ? {} : { index_id }),
        })),
    }));
  }
}

function infoOf(facts: MediaFacts | null): StoredSummary['info'] {
  if (facts?.kind !== 'video') return {};
  const { fps, width, height, totalFrames, duration, gaps, audioStreams } = facts;
  const tracks = audioStreams.map(({ language, channels }, track) => ({ track, language: language ?? null, channels }));
  return {
    ...{ fps: fps.num / fps.den, resolution: [width, height], total_frames: totalFrames, duration },
    ...(gaps !== undefined && {
      gaps: gaps.longest.map(({ from, to }) => ({ time_start: from, time_end: to })),
      gap_count: gaps.count,
      gap_seconds: gaps.seconds,
    }),
    ...(tracks.length > 1 && { audio_tracks: tracks }),
  };
}
