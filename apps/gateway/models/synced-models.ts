import { rm } from 'node:fs/promises';
import { AditError, modelId } from '@adit/contracts';
import type { SyncedModelEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { InstallationLease } from '@adit/leases';
import { ModelStore } from '@adit/model-store';
import { openForeignObjects, type ForeignObjects, type ObjectsSettings } from '@adit/objects';
import { BackgroundService } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { syncedServer } from '../synced-settings.js';
import { syncRounds, syncedVersions } from '../metrics.js';
import { readListing, type ListedVersion, type Listing } from './synced-listing.js';
import { SyncedRows } from './synced-rows.js';
import { checkListed, StillChanging } from './synced-version.js';
import { modelFolder } from './model-folders.js';
import { ServedModels } from './served-models.js';

const log = createLogger('models');

const LIST_LIMITS = { maxObjects: 20_000, maxSeconds: 300 };
const MAX_FILES = 256;
const FETCH_SECONDS = 900;
/** Times that looking at one version may end the process. */
const MAX_ATTEMPTS = 3;
/** Versions of a round that may fail for no fault of theirs. */
const MAX_FAILURES = 3;
/** Renewed while one is at it: another process takes over so long after its death. */
const LEASE_SECONDS = 180;
const RENEW_MS = 30_000;

/** Faults of the files themselves: the version is not tried again until its files change. */
const FINAL = new Set(['VALIDATION', 'TOO_LARGE', 'CONFLICT', 'LIMIT_EXCEEDED']);

/**
 * Publishes what lies in a bucket in Triton's layout for all workspaces, by the checks that a posted model passes. One gateway of the
 * installation does. Numbers are those of the bucket, and a number means the bytes that it was first published with.
 */
@Injectable()
export class SyncedModels extends BackgroundService {
  private readonly lease: InstallationLease;
  private place: Promise<ForeignObjects> | null = null;
  private readonly stop = new AbortController();
  private saidStrange = 0;

  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(SyncedRows) private readonly rows: SyncedRows,
    @Inject(ModelStore) private readonly store: ModelStore,
    @Inject(ModelRepository) private readonly repository: ModelRepository,
    @Inject(ServedModels) private readonly served: ServedModels,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig & Partial<ObjectsSettings>,
  ) {
    super('followed models', config.syncedModelsSeconds * 1000);
    this.lease = new InstallationLease(db, 'followed-models', LEASE_SECONDS);
  }

  override onApplicationBootstrap(): void {
    const { syncedModels } = this.config;
    if (syncedModels === undefined) return;
    // Wrong settings are reported at the start.
    syncedServer(this.config);
    super.onApplicationBootstrap();
  }

  override async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await super.onApplicationShutdown();
    if (this.place === null) return;
    await this.lease.release().catch(() => undefined);
    // eslint-disable-next-line adit/no-lost-errors -- one that could not be opened needs no closing
    (await this.place.catch(() => null))?.close();
  }

  protected async round(): Promise<void> {
    const { syncedModels } = this.config;
    if (syncedModels === undefined || !(await this.lease.take())) return;
    const renewing = setInterval(() => void this.lease.take().catch(() => undefined), RENEW_MS);
    try {
      this.place ??= openForeignObjects(syncedModels, syncedServer(this.config));
      const place = await this.place;
      const listing = await readListing(place.list(), LIST_LIMITS);
      this.logUnknownNames(listing);
      await this.follow(listing, place);
      syncRounds.inc({ result: 'ok' });
    } catch (error) {
      syncRounds.inc({ result: 'failed' });
      throw error;
    } finally {
      clearInterval(renewing);
      await this.count();
    }
  }

  private async follow(listing: Listing, place: ForeignObjects): Promise<void> {
    const known = new Map((await this.rows.all()).map((row) => [keyOf(row), row]));
    if (listing.versions.length === 0 && [...known.values()].some(({ state }) => state === 'published')) {
      throw new AditError(
        'UNAVAILABLE',
        `${String(this.config.syncedModels)} holds no model, and did: nothing is retired. Retire versions through the API, or leave one model there.`,
      );
    }
    const failures: unknown[] = [];
    for (const listed of listing.versions) {
      if (this.stopping || !(await this.lease.keep())) return;
      try {
        await this.check(listed, known.get(keyOf(listed)) ?? null, place);
      } catch (error) {
        // One that cannot be fetched keeps no other waiting; where none can, it is the bucket.
        if (failures.push(error) >= MAX_FAILURES) break;
      }
    }
    const there = new Set(listing.versions.map(keyOf));
    for (const row of known.values()) if (!there.has(keyOf(row))) await this.remove(row);
    await this.repository.refresh();
    if (failures.length > 0) throw failures[0];
  }

  private async check(listed: ListedVersion, row: SyncedModelEntity | null, place: ForeignObjects): Promise<void> {
    const isSame = row?.fingerprint === listed.fingerprint;
    const attempts = isSame ? row.attempts : 0;
    if (isSame && attempts === 0 && (row.state === 'published' || row.state === 'refused')) return;
    // Files that were written more recently may not be complete.
    if (Date.now() - listed.modified.getTime() < 1000 * this.config.syncedModelsSettleSeconds) return;
    const { name, version, fingerprint } = listed;
    const checked = { listed, was: row };
    const taken = await this.takenBy(name);
    if (taken !== null) {
      // The name may be free one day.
      return this.refuse(checked, `There is a model ${name} already, which ${taken}: choose another name.`, '');
    }
    if (attempts >= MAX_ATTEMPTS) {
      const problem = `Looking at it ended the process ${attempts} times: it may need more memory than there is.`;
      return this.refuse(checked, problem);
    }
    // A published version stays published while its new files are checked.
    const state = row?.state === 'published' ? 'published' : 'checking';
    await this.rows.write({ name, version, state, fingerprint, digest: row?.digest ?? null, attempts: attempts + 1 });
    const folder = await modelFolder();
    try {
      await this.publish(checked, place, folder);
    } catch (error) {
      const problem = AditError.from(error);
      if (FINAL.has(problem.code)) return await this.refuse(checked, problem.message);
      // Tried again by the next round.
      const before = { attempts, fingerprint: row?.fingerprint ?? '', digest: row?.digest ?? null };
      await this.rows.change(listed, { ...before, problem: error instanceof StillChanging ? null : problem.message });
      if (!(error instanceof StillChanging)) throw error;
      log.info({ model: name, version }, `a synced model is being written: ${error.message}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async publish({ listed, was }: CheckedVersion, place: ForeignObjects, folder: string): Promise<void> {
    const { name, version, fingerprint } = listed;
    const limits = { maxBytes: this.config.maxModelBytes, maxFiles: MAX_FILES, maxSeconds: FETCH_SECONDS };
    const checked = await checkListed(listed, place, { folder, limits, signal: this.stop.signal });
    const { digest } = checked;
    if (was?.digest != null && was.digest !== digest) {
      throw new AditError(
        'CONFLICT',
        `Version ${version} of ${name} is another than the one that was published under this number, and a version never changes: ` +
          `put it there as a version of its own, and the files of version ${version} as they were.`,
      );
    }
    // Whose number it is, should this process die between the store and the next line.
    await this.rows.change(listed, { digest });
    if (was?.state !== 'published') await this.store.publish({ ...checked, workspaceId: null, number: version });
    await this.rows.change(listed, { state: 'published', fingerprint, digest, problem: null, attempts: 0 });
    log.info({ model: name, version, digest }, 'a synced model was published');
    await this.repository.refresh();
  }

  /** The new files of a published version are refused; the old ones stay published. */
  private async refuse(
    { listed, was }: CheckedVersion,
    problem: string,
    fingerprint = listed.fingerprint,
  ): Promise<void> {
    const { name, version } = listed;
    const state = was?.state === 'published' ? 'published' : 'refused';
    const digest = was?.digest ?? null;
    if (was?.state === state && was.problem === problem && was.fingerprint === fingerprint && was.attempts === 0)
      return;
    await this.rows.write({ name, version, state, fingerprint, digest, problem: problem.slice(0, 2_000), attempts: 0 });
    log.warn({ model: name, version, problem }, 'a synced model cannot be published as it lies there');
  }

  /** Jobs that were posted with it keep it. */
  private async remove(row: SyncedModelEntity): Promise<void> {
    if (row.state === 'removed') return;
    if (row.digest === null) return this.rows.forget(row);
    const { name, version } = row;
    await this.store.retire(modelId(name), version).catch((error: unknown) => {
      if (AditError.from(error).code !== 'NOT_FOUND') throw error;
    });
    await this.rows.change(row, { state: 'removed', fingerprint: '', problem: null, attempts: 0 });
    log.info({ model: name, version }, 'a synced model is there no more, and was retired');
  }

  private async takenBy(name: string): Promise<string | null> {
    const known = this.served.all(null).find((model) => model.name === name);
    if (known?.isStored === false) return known.isPublic ? 'comes with Adit' : 'lies in a model folder';
    return (await this.rows.isTaken(name)) ? 'was added through the API' : null;
  }

  private logUnknownNames({ strange: { count, names } }: Listing): void {
    if (count > 0 && count !== this.saidStrange) {
      log.warn({ count, names }, 'objects beside the synced models belong to none: <name>/<version>/model.onnx');
    }
    this.saidStrange = count;
  }

  private async count(): Promise<void> {
    const rows = await this.rows.all();
    for (const state of ['checking', 'published', 'refused', 'removed'] as const) {
      syncedVersions.set({ state }, rows.filter((row) => row.state === state).length);
    }
    syncedVersions.set(
      { state: 'changed' },
      rows.filter((row) => row.state === 'published' && row.problem !== null).length,
    );
  }
}

interface CheckedVersion {
  listed: ListedVersion;
  /** The row of it before. */
  was: SyncedModelEntity | null;
}

function keyOf({ name, version }: Pick<ListedVersion, 'name' | 'version'>): string {
  return `${name}/${version}`;
}
