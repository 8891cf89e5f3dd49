import { AditError, isoTime } from '@adit/contracts';
import { JobSourceEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { sendFile, type SentFile } from '../http/send-object.js';
import { JobReader } from '../jobs/job-reader.js';
import { StoredFiles } from '../storage/stored-files.js';
import { jobMedia, linkedMedia } from './media-link-routes.js';
import { MediaLinks, type LinkedSource } from './media-links.js';

/** Sources of jobs for players, which send no key. */
@Controller()
export class MediaLinksController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(StoredFiles) private readonly files: StoredFiles,
    @Inject(MediaLinks) private readonly made: MediaLinks,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(jobMedia)
  async link({ params: { jobId }, query: { source } }: Input<typeof jobMedia>, { caller, request }: Exchange) {
    const { filename, contentType, size } = await this.file({ workspaceId: caller.workspaceId, jobId, source });
    const { link, timeExpires } = await this.made.make(caller, { jobId: jobId.toLowerCase(), source });
    const url = `${this.links.baseUrl(request)}/api/v1/media/?link=${link}`;
    return { filename, content_type: contentType, size, link, url, time_expires: isoTime(timeExpires) };
  }

  @Route(linkedMedia)
  async media({ query: { link } }: Input<typeof linkedMedia>, { request, reply }: Exchange) {
    return sendFile(await this.file(await this.made.open(link)), request, reply);
  }

  /** Throws NOT_FOUND where there is no such job or source, or nothing that this process can open. */
  private async file({ workspaceId, jobId, source }: LinkedSource): Promise<SentFile> {
    const { id } = await this.jobs.row(workspaceId, jobId);
    const row = await this.db.manager.findOneBy(JobSourceEntity, { jobId: id, index: source });
    if (row === null) throw new AditError('NOT_FOUND', `The job ${id} has no source ${source}.`);
    const file = await this.files.ofSource(workspaceId, row.uri);
    if (file !== null) return file;
    const message = `Source ${source} of the job ${id} is neither an uploaded file nor one that this gateway can open.`;
    throw new AditError('NOT_FOUND', message);
  }
}
