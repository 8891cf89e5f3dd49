import { randomUUID } from 'node:crypto';
import { AditError, LIFETIME_SECONDS, type Canary, type CanaryState } from '@adit/contracts';
import {
  CanaryEntity,
  CanaryPictureEntity,
  CanaryRunEntity,
  columns,
  databaseNow,
  inStatement,
  inTransaction,
  type Beside,
  type CanaryCounts,
  type RunTimes,
} from '@adit/database';
import type { Comparison } from '@adit/inference';
import { noteRemovals } from '@adit/object-removals';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, LessThan, type EntityManager } from 'typeorm';
import { keepPicture, MAX_PICTURES, removePictures, type StoredPicture } from './canary-pictures.js';
import { presentedCanary } from './canary-report.js';
import { totalRuns } from './latency.js';

/** Number of failed units at which a candidate is given up, if they outnumber the successful ones. */
const MAX_FAILURES = 5;
/** Units that candidates process concurrently, in all processes together. */
const MAX_RUNS = 8;
/** Seconds after which an unfinished run is lost with its process. It is aborted before. */
const LOST_SECONDS = 900;
export const RUN_SECONDS = 600;

/** A version at the start of a canary. */
interface Pinned {
  version: number;
  digest: string;
}

/** A running canary. */
export type RunningCanary = Pick<CanaryEntity, 'modelId' | 'id' | 'stableDigest' | 'version' | 'digest' | 'share'>;

/** Result of a unit. */
export interface CanaryRun {
  comparison: Comparison;
  /** The picture that differs most. */
  picture: StoredPicture | null;
}

/** Counters beside the runs themselves. */
interface Since {
  skipped: number;
  stable: RunTimes | null;
  candidate: RunTimes | null;
}

/** Canaries: versions that run beside the stable ones, their results, and how they ended. */
@Injectable()
export class Canaries {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /**
   * Starts a canary, replacing an ended one; a running one gets the new share. Throws CONFLICT while another version is
   * running, and where the name no longer means `stable`.
   */
  async start(
    modelId: string,
    { stable, candidate, share }: { stable: Pinned; candidate: Pinned; share: number },
    beside?: Beside,
  ): Promise<void> {
    await inTransaction(this.db, async (manager) => {
      await beside?.(manager);
      // Takes the same lock as promoting and retiring.
      await manager.query('SELECT 1 FROM models WHERE id = $1 FOR UPDATE', [modelId]);
      await settleCanaries(manager, modelId);
      const before = await manager.findOneBy(CanaryEntity, { modelId });
      if (before?.state === 'running') {
        if (before.version !== candidate.version) {
          throw new AditError(
            'CONFLICT',
            `Version ${before.version} is already running as a canary: promote or drop it first.`,
          );
        }
        await manager.update(CanaryEntity, { modelId }, { share });
        return;
      }
      // Reads the database, since another process may just have promoted.
      const [meant]: { version: number | null }[] = await manager.query(
        `SELECT ${MEANT} AS version FROM models m WHERE m.id = $1`,
        [modelId],
      );
      if (meant?.version !== stable.version) {
        throw new AditError(
          'CONFLICT',
          'The default version of the model has just changed: read the model, and try again.',
        );
      }
      if (before !== null) {
        await removePictures(manager, { canaryId: before.id });
        await manager.delete(CanaryRunEntity, { canaryId: before.id });
      }
      // Versions added meanwhile must not become the default.
      await manager.query('UPDATE models SET default_version = $2 WHERE id = $1', [modelId, stable.version]);
      const row = columns<CanaryEntity>({
        ...{ modelId, id: randomUUID(), state: 'running', reason: null, share, lastError: null },
        ...{ stableVersion: stable.version, stableDigest: stable.digest },
        ...{ version: candidate.version, digest: candidate.digest, counts: nothingCounted() },
        ...{ timeCreated: new Date(), timeEnded: null },
      });
      await manager.upsert(CanaryEntity, row, ['modelId']);
    });
  }

  /** Ends a running canary. Throws NOT_FOUND without one, CONFLICT when it has ended. */
  async drop(modelId: string, beside?: Beside): Promise<void> {
    const found = await this.find(modelId);
    if (found.state !== 'running') throw ended(found);
    await inTransaction(this.db, async (manager) => {
      await beside?.(manager);
      await manager.update(
        CanaryEntity,
        { modelId, id: found.id, state: 'running' },
        { state: 'dropped', timeEnded: new Date() },
      );
    });
  }

  /** Returns the canary's version. Throws NOT_FOUND without one, CONFLICT when it has ended. */
  async candidate(modelId: string): Promise<number> {
    const found = await this.find(modelId);
    if (found.state !== 'running') throw ended(found);
    return found.version;
  }

  /** Returns the results so far, with the workspace's own pictures. Throws NOT_FOUND. */
  async report(modelId: string, workspaceId: string): Promise<Canary> {
    const canary = await this.find(modelId);
    const pictures = await this.db.manager.find(CanaryPictureEntity, {
      where: { canaryId: canary.id, workspaceId },
      order: { difference: 'DESC', timeCreated: 'ASC' },
    });
    return presentedCanary(canary, pictures);
  }

  /** Returns the object key of a picture of the report. Throws NOT_FOUND, also for one of another workspace. */
  async pictureKey(modelId: string, workspaceId: string, id: string): Promise<string> {
    const canary = await this.find(modelId);
    const picture = await this.db.manager.findOneBy(CanaryPictureEntity, { id, canaryId: canary.id, workspaceId });
    if (picture === null) throw new AditError('NOT_FOUND', `There is no picture ${id}.`);
    return picture.objectKey;
  }

  /** Returns the running canaries. */
  running(): Promise<RunningCanary[]> {
    return this.db.manager.find(CanaryEntity, {
      where: { state: 'running' },
      select: { modelId: true, id: true, stableDigest: true, version: true, digest: true, share: true },
    });
  }

  /**
   * Registers that the candidate starts a unit; null when it must not: it has ended, or runs enough already. Runs whose
   * process died of them count as failures.
   */
  async begin(canary: RunningCanary): Promise<string | null> {
    return inTransaction(this.db, async (manager) => {
      await settleCanaries(manager, canary.modelId);
      const row = await this.held(manager, canary);
      if (row === null) return null;
      const timeCreated = LessThan(new Date(Number(await databaseNow(manager)) - LOST_SECONDS * 1000));
      const { affected } = await manager.delete(CanaryRunEntity, { canaryId: canary.id, timeCreated });
      const lost = affected ?? 0;
      if (lost > 0) {
        row.counts.failed += lost;
        if (await this.write(manager, row, 'A process that ran it ended without a word.')) return null;
      }
      if ((await manager.countBy(CanaryRunEntity, { canaryId: canary.id })) >= MAX_RUNS) return null;
      const id = randomUUID();
      await manager.insert(CanaryRunEntity, { id, canaryId: canary.id });
      return id;
    });
  }

  /** Tests whether a picture of that difference is among those that are shown. */
  async isShown({ id: canaryId }: RunningCanary, workspaceId: string, difference: number): Promise<boolean> {
    const [row]: { worse: number }[] = await this.db.query(
      'SELECT count(*)::int AS worse FROM canary_pictures WHERE canary_id = $1 AND workspace_id = $2 AND difference >= $3',
      [canaryId, workspaceId, difference],
    );
    return (row?.worse ?? 0) < MAX_PICTURES;
  }

  /** Call before writing a picture: it is removed unless it is soon recorded, also when the process dies. */
  async expectPicture(objectKey: string): Promise<void> {
    await noteRemovals(this.db.manager, [objectKey], { inSeconds: LOST_SECONDS });
  }

  /** Counts a unit that both versions analysed. An expected picture that is not kept is removed. */
  async compared(
    canary: RunningCanary,
    runId: string,
    { comparison, picture }: CanaryRun,
    since: Since,
  ): Promise<void> {
    await this.end(canary, runId, since, async (manager, row) => {
      const { counts } = row;
      counts.compared += 1;
      counts.pictures += comparison.pictures;
      counts.differing += comparison.differences.length;
      // A Map is used because a label may equal an object's property, such as `constructor`.
      const labels = new Map(Object.entries(counts.labels));
      for (const [label, { both, stable, candidate }] of comparison.labels) {
        const [a, b, c] = labels.get(label) ?? [0, 0, 0];
        labels.set(label, [a + both, b + stable, c + candidate]);
      }
      counts.labels = Object.fromEntries(labels);
      if (picture !== null) await keepPicture(manager, canary.id, picture);
      return null;
    });
  }

  /** Counts a unit that the candidate failed. */
  async failed(canary: RunningCanary, runId: string, message: string, since: Since): Promise<void> {
    await this.end(canary, runId, since, (_, row) => {
      row.counts.failed += 1;
      return Promise.resolve(message);
    });
  }

  /** Counts skipped units; with a run, one that was aborted without blame. */
  async skipped(canary: RunningCanary, runId: string | null, since: Since): Promise<void> {
    await this.end(canary, runId, since, () => Promise.resolve(null));
  }

  /**
   * Removes expired entries, and those of removed jobs or models: builds without canaries erase jobs without them, and
   * earlier ones workspaces.
   */
  async sweep(now: Date): Promise<void> {
    const before = new Date(now.getTime() - LIFETIME_SECONDS.canaryPicture * 1000);
    await inTransaction(this.db, async (manager) => {
      await removePictures(manager, { timeCreated: LessThan(before) });
      const left: { id: string }[] = await manager.query(
        `SELECT p.id FROM canary_pictures p
          WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = p.job_id AND j.time_deleted IS NULL)`,
      );
      if (left.length > 0) await removePictures(manager, { id: In(left.map(({ id }) => id)) });
      await manager.query(
        'DELETE FROM model_canaries c WHERE NOT EXISTS (SELECT 1 FROM models m WHERE m.id = c.model_id)',
      );
      await manager.query(
        'DELETE FROM canary_runs r WHERE NOT EXISTS (SELECT 1 FROM model_canaries c WHERE c.id = r.canary_id)',
      );
    });
  }

  private async end(
    canary: RunningCanary,
    runId: string | null,
    since: Since,
    count: (manager: EntityManager, row: CanaryEntity) => Promise<string | null>,
  ): Promise<void> {
    await inTransaction(this.db, async (manager) => {
      const row = await this.held(manager, canary);
      if (runId !== null) {
        const { affected } = await manager.delete(CanaryRunEntity, { id: runId });
        // The run was already counted as lost.
        if (affected === 0) return;
      }
      if (row === null) return;
      row.counts.skipped += since.skipped;
      row.counts.stable = totalRuns(row.counts.stable, since.stable);
      row.counts.candidate = totalRuns(row.counts.candidate, since.candidate);
      await this.write(manager, row, await count(manager, row));
    });
  }

  /** Null for an ended canary. */
  private held(manager: EntityManager, { modelId, id }: RunningCanary): Promise<CanaryEntity | null> {
    const where = { modelId, id, state: 'running' as const };
    return manager.findOne(CanaryEntity, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** Returns whether it ended with it. */
  private async write(manager: EntityManager, row: CanaryEntity, error: string | null): Promise<boolean> {
    const { modelId, counts, version } = row;
    const lastError = error ?? row.lastError;
    const isOver = counts.failed >= MAX_FAILURES && counts.failed > counts.compared;
    const end = isOver
      ? {
          state: 'ended' as const,
          reason: `Version ${version} failed of ${counts.failed} units: ${lastError ?? ''}`,
          timeEnded: new Date(),
        }
      : {};
    await manager.update(CanaryEntity, { modelId }, columns<CanaryEntity>({ counts, lastError, ...end }));
    return isOver;
  }

  private async find(modelId: string): Promise<CanaryEntity> {
    await inStatement(this.db, `${SETTLE} SELECT 1 FROM settled`, [modelId]);
    const found = await this.db.manager.findOneBy(CanaryEntity, { modelId });
    if (found !== null) return found;
    throw new AditError('NOT_FOUND', 'The model has had no canary.');
  }
}

/**
 * Ends a canary when the model's default version changes: its candidate was promoted, or its stable version is no
 * longer in use.
 */
export async function settleCanaries(manager: EntityManager, modelId: string): Promise<void> {
  await manager.query(`${SETTLE} SELECT 1 FROM settled`, [modelId]);
}

/** Default version of the model `m`. */
const MEANT = `coalesce(m.default_version, (
  SELECT max(o.version_number) FROM model_versions o
   WHERE o.model_id = m.id AND o.manifest IS NOT NULL AND o.time_retired IS NULL))`;

const SETTLE = `
  WITH meant AS (
    SELECT m.id, v.digest IS NOT NULL AS is_there, c.id AS canary_id, ${MEANT} AS version
      FROM model_canaries c JOIN models m ON m.id = c.model_id
      LEFT JOIN model_versions v ON v.model_id = c.model_id AND v.version_number = c.version AND v.digest = c.digest
       AND v.time_retired IS NULL
     WHERE c.state = 'running' AND c.model_id = $1
  ), settled AS (
    UPDATE model_canaries c
       SET state = CASE WHEN meant.version = c.version THEN 'promoted' ELSE 'ended' END,
           reason = CASE WHEN meant.version = c.version THEN NULL
                         WHEN NOT is_there THEN concat('Version ', c.version, ' was retired.')
                         WHEN meant.version IS NULL THEN 'The model was deleted.'
                         ELSE concat('The name means version ', meant.version, ' by now.') END,
           time_ended = now()
      FROM meant
     WHERE c.model_id = meant.id AND c.id = meant.canary_id AND c.state = 'running'
       AND (NOT is_there OR meant.version IS DISTINCT FROM c.stable_version)
    RETURNING 1
  )`;

function nothingCounted(): CanaryCounts {
  const none = { compared: 0, skipped: 0, failed: 0, pictures: 0, differing: 0 };
  return { ...none, labels: {}, stable: null, candidate: null };
}

function ended({ state, version }: { state: CanaryState; version: number }): AditError {
  return new AditError('CONFLICT', `The canary of version ${version} has ended: ${state}.`);
}
