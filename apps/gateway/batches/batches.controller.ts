import { BatchCommands } from '@adit/jobs';
import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { JobReader } from '../jobs/job-reader.js';
import { BatchFiles } from './batch-files.js';
import { batchJobs, createBatch, deleteBatch, getBatch, listBatches, uploadBatchFiles } from './batch-routes.js';
import { Batches, presentBatch } from './batches.js';

@Controller()
export class BatchesController {
  constructor(
    @Inject(Batches) private readonly batches: Batches,
    @Inject(BatchFiles) private readonly batchFiles: BatchFiles,
    @Inject(BatchCommands) private readonly commands: BatchCommands,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listBatches)
  async list({ query }: Input<typeof listBatches>, { caller, request }: Exchange) {
    const { total, rows, next } = await this.batches.list(caller.workspaceId, query);
    return this.links.page(request, query, total, rows.map(presentBatch), next);
  }

  @Route(createBatch)
  async create({ body }: Input<typeof createBatch>, { caller, newId, isDone, done }: Exchange) {
    const { workspaceId } = caller;
    return presentBatch(
      isDone ? await this.batches.get(workspaceId, newId) : await this.batches.create(workspaceId, body, newId, done),
    );
  }

  @Route(uploadBatchFiles)
  files(_: Input<typeof uploadBatchFiles>, exchange: Exchange) {
    return this.batchFiles.create(exchange);
  }

  @Route(getBatch)
  async one({ params }: Input<typeof getBatch>, { caller }: Exchange) {
    return presentBatch(await this.batches.get(caller.workspaceId, params.batchId));
  }

  @Route(deleteBatch)
  async delete({ params: { batchId } }: Input<typeof deleteBatch>, { caller }: Exchange) {
    const { name } = await this.batches.get(caller.workspaceId, batchId);
    await this.commands.delete(caller.workspaceId, batchId);
    return { message: `The batch ${name} was deleted.` };
  }

  @Route(batchJobs)
  async jobsOf({ params, query }: Input<typeof batchJobs>, { caller, request }: Exchange) {
    const { id } = await this.batches.get(caller.workspaceId, params.batchId);
    const baseUrl = this.links.baseUrl(request);
    const { total, jobs, next } = await this.jobs.list(caller.workspaceId, { ...query, batch: id }, baseUrl);
    return this.links.page(request, query, total, jobs, next);
  }
}
