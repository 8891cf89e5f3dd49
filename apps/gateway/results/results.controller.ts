import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { sendObject } from '../http/send-object.js';
import { Artifacts } from './artifacts.js';
import { JobReader } from '../jobs/job-reader.js';
import { ResultReader } from './result-reader.js';
import { artifactFile, detailedResults, listArtifacts, summarizedResults } from './result-routes.js';

@Controller()
export class ResultsController {
  constructor(
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(ResultReader) private readonly results: ResultReader,
    @Inject(Artifacts) private readonly files: Artifacts,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(detailedResults)
  async detailed({ params, query }: Input<typeof detailedResults>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data, next } = await this.results.segments(job, query);
    return this.links.page(request, query, total, data, next);
  }

  @Route(summarizedResults)
  async summarized({ params, query }: Input<typeof summarizedResults>, { caller, request }: Exchange) {
    const job = await this.jobs.row(caller.workspaceId, params.jobId);
    const { total, data, next } = await this.results.summaries(job, query);
    return this.links.page(request, query, total, data, next);
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

/** Files that every job leaves under the same names. */
const NAMED_AFTER_SOURCES = ['report.html', 'results.json'];
