import { randomUUID } from 'node:crypto';
import { AditError, type BatchFileResult, storable } from '@adit/contracts';
import type { BatchEntity } from '@adit/database';
import { checkBatch, insertBatch, JobCommands, type NewJob, type ResolvedModule } from '@adit/jobs';
import { TimeSlice } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { RateLimits } from '../auth/rate-limits.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { bytesOf, formParts } from '../http/bodies/form-parts.js';
import type { Caller } from '../http/caller.js';
import type { Exchange } from '../http/route.js';
import { detailsOf } from '../http/validation.js';
import { JobPreparation } from '../jobs/job-preparation.js';
import { UsageQuotas } from '../usage/usage-quotas.js';
import { LineFaults, readBatchFile } from './batch-file.js';
import { BatchFilesForm } from './batch-routes.js';
import { Batches, presentBatch } from './batches.js';

const MAX_FILES = 100;

interface SentFile {
  name: string;
  bytes: Buffer;
}

/** Batches of jobs from uploaded files. */
@Injectable()
export class BatchFiles {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Batches) private readonly batches: Batches,
    @Inject(JobCommands) private readonly commands: JobCommands,
    @Inject(JobPreparation) private readonly preparation: JobPreparation,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(UsageQuotas) private readonly quotas: UsageQuotas,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * One result for each file. Throws VALIDATION or TOO_LARGE for what is wrong with the request as a whole, RATE_LIMITED
   * when the jobs that the key may make are used up and no file was taken, QUOTA_EXCEEDED when a quota of the workspace is.
   */
  async create({ caller, request, reply }: Pick<Exchange, 'caller' | 'request' | 'reply'>): Promise<BatchFileResult[]> {
    const { workspaceId } = caller;
    const { files, parentId, parentName } = await this.read(request);
    await this.quotas.check(workspaceId);
    await checkBatch(this.db.manager, workspaceId, parentId, '/parent_id');
    // Made with the first batch that lies in it, so that a request of which nothing is taken makes nothing.
    let parent = parentId;
    let short: AditError | null = null;
    const results: BatchFileResult[] = [];
    const refuse = ({ name: file }: SentFile, error: string): void => {
      results.push({ file, success: false, error, batch: null });
    };
    for (const file of files) {
      const jobs = await this.jobsOf(caller, file);
      if (typeof jobs === 'string') {
        refuse(file, jobs);
        continue;
      }
      const charge = this.limits.chargeJobs(caller, jobs.length);
      void reply.headers(charge?.headers ?? {});
      if (charge?.refusal) {
        short = charge.refusal;
        refuse(file, short.message);
        continue;
      }
      try {
        if (parentName !== null) parent ??= (await this.batches.named(workspaceId, parentName)).id;
        const batch = await this.take(workspaceId, file.name, parent, jobs);
        results.push({ file: file.name, success: true, error: null, batch: presentBatch(batch) });
      } catch (error) {
        charge?.refund();
        throw error;
      }
    }
    if (short !== null && !results.some(({ success }) => success)) throw short;
    return results;
  }

  private async take(workspaceId: string, file: string, parentId: string | null, jobs: NewJob[]): Promise<BatchEntity> {
    const id = randomUUID();
    const name = file.replace(/\.[A-Za-z0-9]{1,5}$/, '') || file;
    const inBatch = jobs.map((job) => ({ ...job, request: { ...job.request, batch: id } }));
    await this.commands.submitAll(inBatch, (manager) => insertBatch(manager, { id, workspaceId, name, parentId }));
    return this.batches.get(workspaceId, id);
  }

  /** The jobs of a file, or what is wrong with it. */
  private async jobsOf({ workspaceId, keyId }: Caller, { bytes }: SentFile): Promise<NewJob[] | string> {
    try {
      const faults = new LineFaults();
      const lines = await readBatchFile(bytes, faults);
      // Most lines of a file ask the same.
      const known = new Map<string, readonly ResolvedModule[]>();
      const jobs: NewJob[] = [];
      const slice = new TimeSlice();
      for (const { line, request } of lines) {
        if (slice.isOver) await slice.rest();
        try {
          jobs.push({ ...(await this.preparation.prepare(workspaceId, request, known)), keyId });
        } catch (error) {
          if (AditError.from(error).status >= 500) throw error;
          faults.add(line, AditError.from(error).message);
        }
      }
      return faults.any ? String(faults) : jobs;
    } catch (error) {
      const refusal = AditError.from(error);
      if (refusal.status >= 500) throw error;
      return refusal.message;
    }
  }

  private async read(request: FastifyRequest) {
    const fields: Record<string, unknown> = {};
    const files: SentFile[] = [];
    let total = 0;
    const fileSize = this.config.maxBodyBytes;
    const limits = {
      files: MAX_FILES,
      fields: 8,
      fieldSize: 8 << 10,
      fileSize,
      parts: MAX_FILES + 8,
    };
    for await (const part of formParts(request, 'the files in the field "files"', limits)) {
      if (part.type !== 'file') {
        fields[part.fieldname] = part.value;
        continue;
      }
      const bytes = await bytesOf(part);
      if (part.fieldname !== 'files' && part.fieldname !== 'files[]') throw noFiles();
      total += bytes.length;
      if (part.file.truncated || total > 8 * fileSize) {
        throw new AditError('TOO_LARGE', `A file has at most ${fileSize} bytes here, all together ${8 * fileSize}.`);
      }
      files.push({ name: shownName(part.filename), bytes });
    }
    const parsed = BatchFilesForm.check(storable).safeParse(fields);
    if (!parsed.success) {
      const errors = parsed.error.issues.flatMap((issue) => detailsOf({ ...issue, path: ['body', ...issue.path] }));
      throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
    }
    if (files.length === 0) throw noFiles();
    return { files, parentId: parsed.data.parent_id ?? null, parentName: parsed.data.parent_name ?? null };
  }
}

/** The last part of what a client calls its file, without what a database cannot hold. */
function shownName(filename: string | undefined): string {
  const name = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  return (
    name
      .replace(/\p{Cc}|\p{Cs}/gu, '')
      .slice(0, 255)
      .trim() || 'file'
  );
}

function noFiles(): AditError {
  const message = 'Send the files in the field "files".';
  return new AditError('VALIDATION', message, { errors: [{ pointer: '/files', code: 'missing', message }] });
}
