import { AditError, isoTimeOrNull, type Job, type LiveStream } from '@adit/contracts';
import { SegmentEntity } from '@adit/database';
import { streamHealth, type StreamHealth } from '@adit/streams';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, IsNull, MoreThanOrEqual, Not } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { JobReader } from '../jobs/job-reader.js';
import { Thumbnails } from '../results/thumbnails.js';
import { getStream, getStreamPicture, listStreams } from './stream-routes.js';

/** Results in which a whole picture is looked for, and those before it whose boxes may lie in it. */
const NEWEST_RESULTS = 50;

/** How live streams do. */
@Controller()
export class StreamsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(Thumbnails) private readonly pictures: Thumbnails,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listStreams)
  async list({ query }: Input<typeof listStreams>, { caller, request }: Exchange) {
    const filter = { ...query, media_type: 'videostream' as const };
    const { total, next, jobs } = await this.jobs.list(caller.workspaceId, filter, this.links.baseUrl(request));
    const health = await streamHealth(
      this.db,
      jobs.map(({ id }) => id),
    );
    const data = jobs.flatMap((job) => {
      const found = health.get(job.id);
      return found === undefined ? [] : [presentStream(job, found)];
    });
    return this.links.page(request, query, total, data, next);
  }

  @Route(getStream)
  async one({ params: { jobId } }: Input<typeof getStream>, { caller, request }: Exchange) {
    const job = await this.jobs.one(caller.workspaceId, jobId, this.links.baseUrl(request));
    const health = (await streamHealth(this.db, [job.id])).get(job.id);
    if (health === undefined) throw new AditError('NOT_FOUND', `The job ${job.id} mines no live stream.`);
    return presentStream(job, health);
  }

  @Route(getStreamPicture)
  async picture({ params }: Input<typeof getStreamPicture>, { caller }: Exchange) {
    const { id: jobId, mediaType, segmentCount } = await this.jobs.row(caller.workspaceId, params.jobId);
    const from = Math.max(0, segmentCount - NEWEST_RESULTS);
    const segment =
      mediaType !== 'videostream'
        ? null
        : await this.db.manager.findOne(SegmentEntity, {
            where: { jobId, seq: MoreThanOrEqual(from), keyFrame: Not(IsNull()) },
            order: { seq: 'DESC' },
          });
    const { frame, picture } = segment?.keyFrame ?? { frame: 0, picture: null };
    // One that is gone from the store is none.
    const image = picture === null ? undefined : (await this.pictures.read([picture.key])).get(picture.key);
    if (segment === null || picture === null || image === undefined) {
      throw new AditError('NOT_FOUND', `The job ${jobId} has no picture of a live stream.`);
    }
    const { width, height } = picture;
    return { image, width, height, frame, time: segment.timeStart, results_offset: from };
  }
}

function presentStream(job: Job, health: StreamHealth): LiveStream {
  const { frames, position, gapSeconds } = health;
  const read = position - gapSeconds;
  return {
    job_id: job.id,
    source: job.sources[0] ?? '',
    source_name: job.source_names[0] ?? '',
    tag: job.tag,
    state: health.state,
    reading: health.reading,
    time_created: job.time_created,
    time_zero: isoTimeOrNull(health.zeroAt),
    position,
    lag: health.lag,
    waiting_parts: health.waiting,
    frames,
    frame_rate: frames > 0 && read > 0 ? frames / read : null,
    gap_count: health.gapCount,
    gap_seconds: gapSeconds,
    last_gap: health.lastGap,
    recorded: health.isRecorded,
    segment_count: health.segmentCount,
    previous_part: job.previous_part ?? null,
    next_part: job.next_part ?? null,
  };
}
