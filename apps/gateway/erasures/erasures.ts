import { randomUUID } from 'node:crypto';
import {
  AditError,
  isoTime,
  isoTimeOrNull,
  nullIfGone,
  type Erasure,
  type ErasureRequest,
  type PageQuery,
} from '@adit/contracts';
import {
  AuditEntryEntity,
  ErasureEntity,
  inTransaction,
  isUuid,
  readPage,
  type Beside,
  type ErasurePhase,
  type FoundPage,
} from '@adit/database';
import { deleteClass, lockClass } from '@adit/datasets';
import { erasePerson } from '@adit/indexes';
import { removeExported } from '@adit/artifacts';
import { noteRemovals, removeObjects, settleRemovals, type Removal } from '@adit/object-removals';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { BackgroundService } from '@adit/outbox';
import { liveProtocol, shownAddress, streamProtocol } from '@adit/media';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import type { Exchange } from '../http/route.js';
import { erasedFile, eraseFile, FILE_COUNTS, isLiveFile } from './file-traces.js';
import { holdInTheWay } from './held-traces.js';
import { removeReceipts } from './receipts.js';
import { eraseTraces, type Step } from './traces.js';

const log = createLogger('erasures');
/** Interval at which unfinished erasures are resumed. */
const PERIOD_MS = 60_000;
const CLEAN_EVERY_MS = 3_600_000;
/** Steps done before the request is answered. Only people who were seen very often need more. */
const STEPS_BEFORE_ANSWER = 20;
const STORAGE = 'storage://';

type Asker = Pick<ErasureEntity, 'workspaceId' | 'actorKind' | 'actorId' | 'actorName' | 'requestId'>;

/**
 * Erases people and files from everything that is kept of them. The identity goes with the request's own transaction; the rest in
 * steps, each a transaction that counts what it removed in the receipt. Whoever dies leaves a row that the next gateway goes on
 * with.
 */
@Injectable()
export class Erasures extends BackgroundService {
  private cleaned = -Infinity;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {
    super('erasures', PERIOD_MS);
  }

  protected async round(): Promise<void> {
    await this.finish();
    if (performance.now() - this.cleaned < CLEAN_EVERY_MS) return;
    this.cleaned = performance.now();
    while (!this.stopping && (await removeReceipts(this.db)) > 0);
  }

  /** Begins, and does what can be done at once. Throws NOT_FOUND for what is not there. */
  async erase(request: ErasureRequest, exchange: Exchange): Promise<Erasure> {
    const { newId: id, isDone, done } = exchange;
    if (!isDone) await this.begin(request, askerOf(exchange), { id, beside: done });
    await this.resume(id, STEPS_BEFORE_ANSWER).catch((error: unknown) => {
      log.warn({ err: error, erasure: id }, 'an erasure goes on later');
    });
    return this.get(exchange.caller.workspaceId, id);
  }

  /** Throws NOT_FOUND. */
  async get(workspaceId: string, id: string): Promise<Erasure> {
    const row = isUuid(id) ? await this.db.manager.findOneBy(ErasureEntity, { id, workspaceId }) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no erasure ${id}.`);
    return this.shown(row);
  }

  private async shown(row: ErasureEntity): Promise<Erasure> {
    const { workspaceId, subject, timeCompleted } = row;
    if (timeCompleted !== null) return presentErasure(row, null);
    const hold = await inTransaction(this.db, (manager) => holdInTheWay(manager, workspaceId, subject));
    return presentErasure(row, hold?.message ?? null);
  }

  /** Newest first. */
  async list(
    workspaceId: string,
    page: PageQuery,
  ): Promise<Pick<FoundPage<never>, 'total' | 'next'> & { erasures: Erasure[] }> {
    const found = this.db.manager.createQueryBuilder(ErasureEntity, 'e').where({ workspaceId });
    const { rows, total, next } = await readPage(found, page, [
      { by: 'e.timeCreated', kind: 'time', descending: true },
      { by: 'e.id', kind: 'uuid', descending: true },
    ]);
    return { total, next, erasures: await Promise.all(rows.map((row) => this.shown(row))) };
  }

  /** Goes on with all that were begun; public for the specs. */
  async finish(): Promise<void> {
    const rows = await this.db.manager.find(ErasureEntity, {
      where: { timeCompleted: IsNull() },
      order: { timeCreated: 'ASC' },
      select: { id: true },
    });
    for (const { id } of rows) {
      if (this.stopping) return;
      await this.resume(id, Infinity).catch((error: unknown) =>
        log.warn({ err: error, erasure: id }, 'an erasure goes on later'),
      );
    }
  }

  /** In one transaction: the identity is gone and the erasure noted, or neither. Throws CONFLICT where a legal hold is in the way. */
  async begin(
    request: ErasureRequest,
    asker: Asker,
    { id = randomUUID(), beside }: { id?: string; beside?: Beside } = {},
  ): Promise<string> {
    await inTransaction(this.db, async (manager) => {
      await beside?.(manager);
      const { workspaceId } = asker;
      const { index_id: indexId, dataset_id: datasetId, class_id: classId } = request;
      const row: Partial<ErasureEntity> = { id, ...asker, counts: {}, removals: [], phase: 'traces' };
      if (indexId !== undefined) {
        const person = await erasePerson(manager, workspaceId, indexId);
        if (person === null) throw new AditError('NOT_FOUND', `There is no identity ${indexId}.`);
        const { merged, collection, thumbnails } = person;
        row.subject = { index_id: indexId, merged, collection_name: collection };
        row.counts = { identities: 1 + merged.length, embeddings: 1 + merged.length, thumbnails };
      } else if (datasetId !== undefined && classId !== undefined) {
        await lockClass(manager, { workspaceId, datasetId, classId });
        row.subject = { dataset_id: datasetId, class_id: classId };
      } else {
        row.subject = { file_uri: await shownUri(manager, workspaceId, request.file_uri ?? '') };
        row.counts = FILE_COUNTS;
        row.phase = 'file';
      }
      const hold = await holdInTheWay(manager, workspaceId, row.subject);
      if (hold !== null) throw hold;
      // One of the branches has set the subject; the rest has defaults.
      await manager.insert(ErasureEntity, row as ErasureEntity);
    });
    return id;
  }

  /** Runs the remaining steps, at most `most`. Any number of processes may call it; a lock lets one at a time work. */
  async resume(id: string, most: number): Promise<void> {
    for (let steps = 0; steps < most && !this.stopping; steps += 1) {
      if (!(await this.step(id))) return;
    }
  }

  /** One step; public for the specs. Returns whether there may be another one now. */
  async step(id: string): Promise<boolean> {
    const row = await this.db.manager.findOneBy(ErasureEntity, { id, timeCompleted: IsNull() });
    if (row === null) return false;
    // Also one that a build began which does less.
    if (row.subject.file_uri !== undefined) return this.eraseFile(row, row.subject.file_uri);
    switch (row.phase) {
      case 'traces':
        return this.advance(row, 'class', (manager) => eraseTraces(manager, row.workspaceId, row.subject));
      case 'class':
        return this.eraseClass(row);
      case 'objects':
        return this.removeObjects(row);
      case 'file':
        return false;
    }
  }

  private async eraseFile(row: ErasureEntity, uri: string): Promise<boolean> {
    const step = await this.stepOf(row, 'file', (manager) => eraseFile(manager, row.workspaceId, erasedFile(uri)));
    if (step === null || !step.over) return step?.waits !== true;
    return this.removeObjects(row);
  }

  /** Its images go by the dataset's own steps; here they are counted, and waited for. */
  private async eraseClass(row: ErasureEntity): Promise<boolean> {
    const { id, workspaceId, subject } = row;
    const { dataset_id: datasetId, class_id: classId } = subject;
    if (datasetId === undefined || classId === undefined) {
      return this.advance(row, 'objects', () => Promise.resolve({ counts: {}, removals: [], over: true }));
    }
    const place = { workspaceId, datasetId, classId };
    const there = await inTransaction(this.db, async (manager) => {
      const found = await lockClass(manager, place).catch(nullIfGone);
      if (found === null) return false;
      // Counted just before the deletion; after a crash here the next step counts again.
      const counts = JSON.stringify({ classes: 1, dataset_images: found.images });
      await manager.query('UPDATE erasures SET counts = counts || $2::jsonb WHERE id = $1', [id, counts]);
      return true;
    });
    if (there) await deleteClass(this.db, place).catch(nullIfGone);
    // It may go with its dataset.
    const going = [[classId, datasetId]];
    const left: unknown[] = await this.db.query('SELECT 1 FROM dataset_erasures WHERE id = ANY($1::uuid[])', going);
    if (left.length > 0) return false;
    return this.advance(row, 'objects', async (manager) => {
      const files = await removeExported(manager, 'dataset_id', [datasetId]);
      const removals = (await noteRemovals(manager, files)).map((removal) => removal.id);
      return { counts: { artifacts: files.length }, removals, over: true };
    });
  }

  /**
   * Removes the noted objects; the sweeper removes those that are left. The receipt is complete when none is left and no new trace
   * of a file has appeared meanwhile. Returns whether there may be another step now.
   */
  private async removeObjects({ id }: ErasureEntity): Promise<boolean> {
    const now = await this.db.manager.findOneBy(ErasureEntity, { id, timeCompleted: IsNull() });
    if (now === null) return false;
    const { removals } = now;
    const left: Removal[] = await this.db.query(
      'SELECT id, prefix, again FROM object_removals WHERE id = ANY($1::bigint[])',
      [removals],
    );
    const { gone } = await removeObjects(this.objects, left);
    await settleRemovals(this.db.manager, gone);
    if (gone.length < left.length) return false;
    return inTransaction(this.db, async (manager) => {
      const row = await locked(manager, id);
      if (row === null) return false;
      // Another process noted what is still to be removed.
      if (row.removals.some((removal) => !removals.includes(removal))) return true;
      const { file_uri: uri } = row.subject;
      const hold = uri === undefined ? null : await holdInTheWay(manager, row.workspaceId, row.subject);
      if (hold !== null) throw hold;
      const more = uri === undefined ? null : await eraseFile(manager, row.workspaceId, erasedFile(uri));
      if (more?.over === false) {
        await note(manager, row, more, 'file');
        return !more.waits;
      }
      const timeCompleted = new Date();
      await manager.update(ErasureEntity, { id }, { timeCompleted, removals: [] });
      const { workspaceId, actorKind, actorId, actorName, requestId } = row;
      await manager.insert(AuditEntryEntity, {
        ...{ workspaceId, actorKind, actorId, actorName, requestId, time: timeCompleted },
        ...{ action: 'erased', resource: 'erasures', resourceId: id },
        fields: Object.entries({ ...row.subject, ...row.counts }).map(([name, value]) => `${name}: ${String(value)}`),
      });
      return false;
    });
  }

  /** A step of a phase with what it counted, or nothing; the `next` phase when it was the last. */
  private async advance(row: ErasureEntity, next: ErasurePhase, work: (manager: EntityManager) => Promise<Step>) {
    await this.stepOf(row, next, work);
    return true;
  }

  /** Null when somebody else was faster. */
  private stepOf<T extends Step>(
    { id, phase }: ErasureEntity,
    next: ErasurePhase,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T | null> {
    return inTransaction(this.db, async (manager) => {
      const row = await locked(manager, id);
      if (row?.phase !== phase) return null;
      // One that was set since the erasure began; the receipt says so.
      const hold = await holdInTheWay(manager, row.workspaceId, row.subject);
      if (hold !== null) throw hold;
      const step = await work(manager);
      await note(manager, row, step, step.over || next === 'file' ? next : phase);
      return step;
    });
  }
}

/** Adds the counts of a step to the receipt, in the transaction of the step. */
async function note(manager: EntityManager, row: ErasureEntity, step: Step, phase: ErasurePhase): Promise<void> {
  const counts = { ...row.counts };
  for (const [kind, count] of Object.entries(step.counts)) counts[kind] = (counts[kind] ?? 0) + count;
  const removals = [...row.removals, ...step.removals];
  await manager.update(ErasureEntity, { id: row.id }, { counts, removals, phase });
}

/** The address of a file as results and receipts show it. Throws VALIDATION for one that nothing is found by. */
async function shownUri(manager: EntityManager, workspaceId: string, uri: string): Promise<string> {
  if (uri.startsWith(STORAGE)) return uri;
  const shown = shownAddress(uri);
  if (liveProtocol(uri) !== null) return shown;
  // A web address was that of a stream where a job said so.
  if (streamProtocol(uri) !== null && (await isLiveFile(manager, workspaceId, shown))) return shown;
  throw new AditError('VALIDATION', 'Give the address of a stored file, storage://<key>, or of a live stream.', {
    errors: [{ pointer: '/file_uri', code: 'invalid', message: 'neither a stored file nor a live stream' }],
  });
}

function locked(manager: EntityManager, id: string): Promise<ErasureEntity | null> {
  const where = { id, timeCompleted: IsNull() };
  return manager.findOne(ErasureEntity, { where, lock: { mode: 'pessimistic_write' } });
}

function askerOf({ caller, request }: Exchange): Asker {
  return {
    workspaceId: caller.workspaceId,
    actorKind: caller.kind,
    actorId: caller.keyId,
    actorName: caller.name,
    requestId: request.id,
  };
}

function presentErasure(row: ErasureEntity, obstacle: string | null): Erasure {
  return {
    id: row.id,
    state: row.timeCompleted === null ? 'processing' : 'completed',
    obstacle,
    subject: row.subject,
    counts: row.counts,
    requested_by: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    request_id: row.requestId,
    time_created: isoTime(row.timeCreated),
    time_completed: isoTimeOrNull(row.timeCompleted),
  };
}
