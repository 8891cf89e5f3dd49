import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { sendObject } from '../http/send-object.js';
import { JobReader } from './job-reader.js';
import { artifactFile, detailedResults, listArtifacts, summarizedResults } from './job-routes.js';
import { ResultReader } from './result-reader.js';

@Controller()
export class ResultsController {
  constructor(
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(ResultReader) private readonly results: ResultReader,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(detailedResults)
  async detailed({ params, query }: Input<typeof detailedResults>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data } = await this.results.segments(job, query);
    return this.links.page(request, query, total, data);
  }

  @Route(summarizedResults)
  async summarized({ params, query }: Input<typeof summarizedResults>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data } = await this.results.summaries(job, query);
    return this.links.page(request, query, total, data);
  }

  @Route(listArtifacts)
  async artifacts({ params, query }: Input<typeof listArtifacts>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data } = await this.results.artifacts(job, query);
    return this.links.page(request, query, total, data);
  }

  @Route(artifactFile)
  async artifact({ params }: Input<typeof artifactFile>, { caller, request, reply }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { objectKey, filename, mimeType, size, id } = await this.results.artifact(job, params.artifactId);
    const object = {
      key: objectKey,
      filename,
      contentType: mimeType,
      size: Number(size),
      etag: id,
      disposition: 'attachment' as const,
    };
    return sendObject(this.objects, object, request, reply);
  }
}
