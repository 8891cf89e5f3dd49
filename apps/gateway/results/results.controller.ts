import { Readable } from 'node:stream';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { sendFile, sendObject } from '../http/send-object.js';
import { Artifacts } from './artifacts.js';
import { segmentClip } from './clip-routes.js';
import { ASK_AGAIN_SECONDS, SegmentClips } from './clips.js';
import { getRecording, recordingPart, recordingPlaylistFile } from './recording-routes.js';
import { Recordings } from './recordings.js';
import { JobReader } from '../jobs/job-reader.js';
import { ResultReader } from './result-reader.js';
import { artifactFile, detailedResults, listArtifacts, listGaps, summarizedResults } from './result-routes.js';

@Controller()
export class ResultsController {
  constructor(
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(ResultReader) private readonly results: ResultReader,
    @Inject(Artifacts) private readonly files: Artifacts,
    @Inject(SegmentClips) private readonly clips: SegmentClips,
    @Inject(Recordings) private readonly recordings: Recordings,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(detailedResults)
  async detailed({ params, query }: Input<typeof detailedResults>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data, next } = await this.results.segments(job, query);
    return this.links.page(request, query, total, data, next);
  }

  @Route(segmentClip)
  async clip({ params, query }: Input<typeof segmentClip>, { caller, request, reply }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const clip = await this.clips.of(job, params.segmentId, query);
    if (clip === null) return reply.status(202).header('retry-after', ASK_AGAIN_SECONDS).send();
    return sendObject(this.objects, clip, request, reply);
  }

  @Route(summarizedResults)
  async summarized({ params, query }: Input<typeof summarizedResults>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data, next } = await this.results.summaries(job, query);
    return this.links.page(request, query, total, data, next);
  }

  @Route(listGaps)
  async gaps({ params, query }: Input<typeof listGaps>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data, next } = await this.results.gaps(job, query);
    return this.links.page(request, query, total, data, next);
  }

  @Route(getRecording)
  async recording({ params }: Input<typeof getRecording>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    return this.recordings.describe(job, caller.signer, this.links.baseUrl(request));
  }

  @Route(recordingPlaylistFile)
  async playlist({ params, query }: Input<typeof recordingPlaylistFile>, { caller, reply }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const text = await this.recordings.playlist(job, caller.signer, query.ticket);
    return reply.header('content-type', 'application/vnd.apple.mpegurl').send(text);
  }

  @Route(recordingPart)
  async recordingPart({ params }: Input<typeof recordingPart>, { caller, request, reply }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const part = await this.recordings.part(job, params.part);
    // A number or a digest never gets other bytes.
    reply.header('cache-control', `private, max-age=${KEPT_SECONDS}, immutable`);
    return sendFile(
      {
        ...{ filename: part.name, contentType: 'video/mp4', disposition: 'inline', etag: part.name.replace('.', '-') },
        size: 'size' in part ? part.size : part.bytes.length,
        open: (range) =>
          'key' in part
            ? this.objects.get(part.key, range)
            : Promise.resolve(Readable.from([part.bytes.subarray(range?.start ?? 0, (range?.end ?? Infinity) + 1)])),
      },
      request,
      reply,
    );
  }

  @Route(listArtifacts)
  async artifacts({ params, query }: Input<typeof listArtifacts>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data, next } = await this.files.list({ jobId: job.id }, query);
    return this.links.page(request, query, total, data, next);
  }

  @Route(artifactFile)
  async artifact({ params }: Input<typeof artifactFile>, { caller, request, reply }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const artifact = await this.files.get({ jobId: job.id }, params.artifactId);
    const file = this.files.file(artifact);
    // Names tell many downloads apart.
    const filename = NAMED_AFTER_SOURCES.includes(file.filename)
      ? await this.files.nameAfterSources(job.id, file.filename)
      : file.filename;
    return sendObject(this.objects, { ...file, filename }, request, reply);
  }
}

/** Seconds for which a browser may keep a part of a recording. */
const KEPT_SECONDS = 3600;

/** Files that every job leaves under the same names. */
const NAMED_AFTER_SOURCES = ['report.html', 'results.json'];
