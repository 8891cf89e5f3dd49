import { AditError } from '@adit/contracts';
import {
  AccessKeyEntity,
  ApiKeyEntity,
  deleteRowsOfWorkspace,
  ExportEntity,
  heldBack,
  inTransaction,
  JobEntity,
  lockHeldTags,
  rowsOfWorkspace,
  StorageEntryEntity,
  WorkspaceEntity,
  type RowsOfWorkspace,
} from '@adit/database';
import { DATASET_ROWS } from '@adit/datasets';
import { DICTIONARY_ROWS } from '@adit/dictionaries';
import { EXPORT_ROWS } from '@adit/artifacts';
import { IDEMPOTENCY_ROWS } from '@adit/idempotency';
import { INDEX_ROWS } from '@adit/indexes';
import { BATCH_ROWS, blankJobs, JobCommands, MEDIA_ROWS } from '@adit/jobs';
import { MODEL_ROWS } from '@adit/model-store';
import { QUESTION_ROWS } from '@adit/online-inference';
import { InstallationLease } from '@adit/leases';
import { BackgroundService } from '@adit/outbox';
import { RETENTION_ROWS } from '@adit/retention';
import { createLogger } from '@adit/runtime';
import { SEARCH_ROWS } from '@adit/search';
import { FileRemovals, notedObjects } from '@adit/storage';
import { STORAGE_CREDENTIAL_ROWS } from '@adit/storage-credentials';
import { STREAM_ROWS } from '@adit/streams';
import { TRANSCRIPT_ROWS } from '@adit/transcript-store';
import { USAGE_ROWS } from '@adit/usage';
import { removeDeliveriesOfWorkspace, WEBHOOK_ROWS } from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not } from 'typeorm';
import { AccessTokens } from '../auth/access-tokens.js';
import { Authenticator } from '../auth/authenticator.js';

const log = createLogger('workspaces');
const BATCH = 500;
/** Rows that one statement deletes at the most: it has to end within the time that a statement may take. */
const ROWS_OF_STEP = 5_000;
/** Interval at which erasures that failed, or whose process died, are resumed. */
const PERIOD_MS = 60_000;
/** Longer than any one step takes. */
const LEASE_SECONDS = 300;

/** Rows to erase, listed by the package that writes them. */
const ROWS: readonly RowsOfWorkspace[] = [
  ...SEARCH_ROWS,
  ...TRANSCRIPT_ROWS,
  ...DATASET_ROWS,
  ...BATCH_ROWS,
  ...EXPORT_ROWS,
  ...DICTIONARY_ROWS,
  ...WEBHOOK_ROWS,
  ...MEDIA_ROWS,
  ...STREAM_ROWS,
  ...STORAGE_CREDENTIAL_ROWS,
  ...INDEX_ROWS,
  rowsOfWorkspace('erasures', { kind: 'erasures' }),
  ...MODEL_ROWS,
  rowsOfWorkspace('audit_entries', { kind: 'audit_entries' }),
  ...IDEMPOTENCY_ROWS,
  ...QUESTION_ROWS,
  ...RETENTION_ROWS,
  ...USAGE_ROWS,
  // Those that a request under way has made since the first moment.
  ...['api_keys', 'access_keys'].map((table) => rowsOfWorkspace(table, { kind: table })),
  rowsOfWorkspace('sessions'),
  rowsOfWorkspace('invitations', { kind: 'invitations' }),
  rowsOfWorkspace('members', { kind: 'members' }),
];

type Counts = Record<string, number>;

/** Throws UNAVAILABLE when somebody else goes on, or later. */
type Checkpoint = () => Promise<void>;

/**
 * Erases a workspace with everything in it, in steps that each end soon. The row of the workspace goes last: until then it is
 * marked, nobody gets in, and what is left is gone on with, by whoever deletes it once more or by the next gateway that looks.
 * Bytes go by the list of removals.
 */
@Injectable()
export class WorkspaceErasure extends BackgroundService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(JobCommands) private readonly jobs: JobCommands,
    @Inject(FileRemovals) private readonly removals: FileRemovals,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
  ) {
    super('workspaces', PERIOD_MS);
  }

  protected round(): Promise<void> {
    return this.finish();
  }

  /** One round of going on with what was begun; public for the specs. */
  async finish(): Promise<void> {
    for (const { id } of await this.db.manager.findBy(WorkspaceEntity, { timeDeleted: Not(IsNull()) })) {
      if (this.stopping) return;
      await this.erase(id).catch((error: unknown) => {
        // Somebody else is at it.
        if (AditError.from(error).code === 'CONFLICT') return;
        log.warn({ err: error, workspaceId: id }, 'erasing a workspace goes on later');
      });
    }
  }

  /**
   * Returns how many of each kind there were; one that goes on counts what it found. Throws CONFLICT while another process
   * or request is at it, and while a job is under a legal hold.
   */
  async erase(workspaceId: string): Promise<Counts> {
    const lease = new InstallationLease(this.db, `workspace-erasure/${workspaceId}`, LEASE_SECONDS);
    if (!(await lease.take())) {
      throw new AditError('CONFLICT', 'This workspace is being erased already; ask again in a while.');
    }
    try {
      return await this.eraseUnder(workspaceId, async () => {
        if (!this.stopping && (await lease.keep())) return;
        throw new AditError('UNAVAILABLE', 'What is left of the workspace is erased later.');
      });
    } finally {
      await lease.release().catch((error: unknown) => log.debug({ err: error }, 'a lease runs out by itself'));
    }
  }

  private async eraseUnder(workspaceId: string, checkpoint: Checkpoint): Promise<Counts> {
    const counts = await this.lock(workspaceId);
    // Exports of a job go with the job.
    const exports = await this.db.manager.countBy(ExportEntity, { workspaceId });
    // A request that was under way may have written behind us: the last round finds nothing.
    for (let found = true; found;) {
      const round = [
        await this.eraseJobs(workspaceId, checkpoint),
        await this.eraseFiles(workspaceId, checkpoint),
        await this.eraseRows(workspaceId, checkpoint),
      ];
      found = round.flatMap((each) => Object.values(each)).some((count) => count > 0);
      for (const [kind, count] of round.flatMap((each) => Object.entries(each))) {
        counts[kind] = (counts[kind] ?? 0) + count;
      }
    }
    await inTransaction(this.db, async (manager) => {
      await this.removals.noteObjects(manager, [`storage/${workspaceId}`, `media/${workspaceId}`]);
      await manager.delete(WorkspaceEntity, { id: workspaceId });
    });
    await this.removals.drain();
    log.info({ workspaceId }, 'a workspace was erased');
    return { ...counts, exports };
  }

  /** From here on no key of it counts. Throws CONFLICT where a job is under a legal hold. */
  private async lock(workspaceId: string): Promise<Counts> {
    const where = { workspaceId };
    const [apiKeys, accessKeys] = await inTransaction(this.db, async (manager) => {
      const tags = [...(await lockHeldTags(manager, workspaceId))];
      const held = await manager.findOneBy(JobEntity, { ...where, tag: In(tags), timeDeleted: IsNull() });
      if (held !== null) throw heldBack(`The job ${held.id} of this workspace`, held.tag);
      await manager.update(WorkspaceEntity, { id: workspaceId, timeDeleted: IsNull() }, { timeDeleted: new Date() });
      const found = [
        await manager.find(ApiKeyEntity, { where, select: { id: true } }),
        await manager.find(AccessKeyEntity, { where, select: { key: true } }),
      ] as const;
      await manager.delete(ApiKeyEntity, where);
      await manager.delete(AccessKeyEntity, where);
      return found;
    });
    for (const { id } of apiKeys) this.authenticator.forget(id);
    for (const { key } of accessKeys) this.tokens.forget(key);
    return { api_keys: apiKeys.length, access_keys: accessKeys.length };
  }

  /** Tombstones stay for work in flight until the sweeper takes them, with nothing in them. */
  private async eraseJobs(workspaceId: string, checkpoint: Checkpoint): Promise<Counts> {
    const where = { workspaceId, timeDeleted: IsNull() };
    let jobs = 0;
    for (;;) {
      const found = await this.db.manager.find(JobEntity, { where, select: { id: true }, take: BATCH });
      if (found.length === 0) break;
      for (const { id } of found) {
        await checkpoint();
        if (await this.deleteJob(workspaceId, id)) jobs += 1;
      }
    }
    await this.jobs.eraseAll(workspaceId, checkpoint);
    await this.inSteps(checkpoint, () => removeDeliveriesOfWorkspace(this.db.manager, workspaceId, ROWS_OF_STEP));
    await this.inSteps(checkpoint, () => blankJobs(this.db, workspaceId, ROWS_OF_STEP));
    return { jobs };
  }

  /** Tells whether it was there; its time may be over at this moment. */
  private async deleteJob(workspaceId: string, jobId: string): Promise<boolean> {
    try {
      await this.jobs.delete(workspaceId, jobId);
      return true;
    } catch (error) {
      if (AditError.from(error).code !== 'NOT_FOUND') throw error;
      return false;
    }
  }

  private async eraseFiles(workspaceId: string, checkpoint: Checkpoint): Promise<Counts> {
    let files = 0;
    for (;;) {
      await checkpoint();
      const found = await this.db.manager.find(StorageEntryEntity, { where: { workspaceId }, take: BATCH });
      if (found.length === 0) return { files };
      await inTransaction(this.db, (manager) => this.removals.note(manager, found));
      files += found.filter(({ isFolder }) => !isFolder).length;
    }
  }

  private async eraseRows(workspaceId: string, checkpoint: Checkpoint): Promise<Counts> {
    const counts: Counts = {};
    for (const rows of ROWS) {
      const count = await this.inSteps(checkpoint, () =>
        deleteRowsOfWorkspace(this.db, rows, { workspaceId, most: ROWS_OF_STEP }, noteFolder),
      );
      if (rows.kind !== undefined) counts[rows.kind] = (counts[rows.kind] ?? 0) + count;
    }
    return counts;
  }

  /** Until a step finds no more than it may; answers how many there were. */
  private async inSteps(checkpoint: Checkpoint, step: () => Promise<number>): Promise<number> {
    for (let count = 0; ;) {
      await checkpoint();
      const gone = await step();
      count += gone;
      if (gone < ROWS_OF_STEP) return count;
    }
  }

  private async counted(statement: string, workspaceId: string): Promise<number> {
    const [row]: { count: number }[] = await this.db.query(statement, [workspaceId, ROWS_OF_STEP]);
    return row?.count ?? 0;
  }
}

/** SQL: notes the folders of rows that are `gone`. */
function noteFolder(folder: string): string {
  return notedObjects(`SELECT '${folder}' || id FROM gone`);
}
