import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  AditError,
  LIFETIME_SECONDS,
  modelId,
  type Json,
  type ModelManifest,
  type ModelPin,
  type ModelType,
} from '@adit/contracts';
import { inTransaction, ModelVersionEntity, type Beside, type StoredModelFile } from '@adit/database';
import { keepAfterAll, noteRemovals } from '@adit/object-removals';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { checkSha256, Sha256Stream } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { settleCanaries } from './canaries.js';

/** A new version of the model of the manifest's name. */
export interface NewModelVersion {
  /** Owner; null: every workspace sees it. */
  workspaceId: string | null;
  manifest: ModelManifest;
  /** Digest by `readVersion` of `@adit/inference`. */
  digest: string;
  /** Required number; by default the next one. */
  number?: number;
  /** Absolute folder of its files. */
  folder: string;
  files: readonly StoredModelFile[];
  changelog?: string;
  /** Metrics measured by its maker. */
  metrics?: Record<string, Json> | null;
  /** Dataset it was trained with. */
  sourceDatasetId?: string | null;
  /** Runs first in the transaction that stores it; throws when the quota is exceeded. */
  before?: Beside;
  /** Runs last in that transaction; an error rolls both back. */
  beside?: (manager: EntityManager, made: StoredModel) => Promise<void>;
}

/** A stored version. */
export type StoredModel = ModelPin & { modelId: string };

/** A version whose files lie in the object store. */
export interface StoredVersion extends Pick<ModelVersionEntity, 'digest' | 'timeRetired'> {
  modelId: string;
  workspaceId: string | null;
  name: string;
  version: number;
  /** Default version of the model; null: the highest. */
  defaultVersion: number | null;
  /** As stored, by this or another build; null for a known one. */
  manifest: unknown;
  files: StoredModelFile[];
  objectPrefix: string;
}

/** Key of a version, whose manifest never changes. */
export type VersionKey = `${string} ${number} ${string}`;

export function versionKey({ modelId, version, digest }: StoredVersion): VersionKey {
  return `${modelId} ${version} ${digest}`;
}

/** Versions of models for all processes of an installation: files in the object store, what they are in the database. */
@Injectable()
export class ModelStore {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /**
   * Stores a version completely or not at all. Concurrent versions get numbers of their own; an existing digest stays
   * as it is, and a retired version is offered again when it is given with its number. Throws INTERNAL when a file
   * differs from its digest, CONFLICT when the name belongs to another kind of model, or the number to another version.
   */
  async publish(given: NewModelVersion): Promise<StoredModel> {
    const { name } = given.manifest;
    const id = modelId(name, given.workspaceId);
    const objectPrefix = `models/${id}/${randomUUID()}/`;
    await noteRemovals(this.db.manager, [objectPrefix], { inSeconds: LIFETIME_SECONDS.abandonedModel });
    let stored: { made: StoredModel; isNew: boolean };
    try {
      for (const file of given.files)
        await this.put(`${objectPrefix}${file.name}`, join(given.folder, file.name), file);
      stored = await inTransaction(this.db, async (manager) => {
        const { version, isNew } = await writeDown(manager, { id, objectPrefix, given });
        const made = { modelId: id, name, version, digest: given.digest };
        await given.beside?.(manager, made);
        return { made, isNew };
      });
    } catch (error) {
      await this.discard(objectPrefix);
      throw error;
    }
    if (!stored.isNew) await this.discard(objectPrefix);
    return stored.made;
  }

  /** Returns a state; `versions` is unchanged as long as it is. */
  async state(): Promise<string> {
    const [row]: { state: string }[] = await this.db.query(STATE);
    return row?.state ?? '';
  }

  /** Returns every version that a job may name or refer to, by name and number, without the manifests of known ones. */
  async versions(known: readonly VersionKey[] = []): Promise<StoredVersion[]> {
    return this.db.query(VERSIONS, [known]);
  }

  /** Tests whether a model belongs to this workspace alone, also when all its versions are retired. */
  async isOf(workspaceId: string, id: string): Promise<boolean> {
    const rows: unknown[] = await this.db.query('SELECT 1 FROM models WHERE id = $1 AND workspace_id = $2', [
      id,
      workspaceId,
    ]);
    return rows.length > 0;
  }

  /** Makes a version the model's default, also a retired one. Throws NOT_FOUND. */
  async promote(id: string, version: number, beside?: Beside): Promise<void> {
    await this.change(id, version, async (manager) => {
      await beside?.(manager);
      await manager.query('UPDATE models SET default_version = $2 WHERE id = $1', [id, version]);
      await manager.query(
        `UPDATE model_versions SET time_retired = NULL
          WHERE model_id = $1 AND version_number = $2 AND manifest IS NOT NULL`,
        [id, version],
      );
    });
  }

  /** Retires a version: no new job may name it; existing ones keep it. Throws NOT_FOUND. */
  async retire(id: string, version: number, beside?: Beside): Promise<void> {
    await this.change(id, version, async (manager) => {
      await beside?.(manager);
      await manager.query('UPDATE models SET default_version = NULL WHERE id = $1 AND default_version = $2', [
        id,
        version,
      ]);
      await manager.query(
        `UPDATE model_versions SET time_retired = now()
          WHERE model_id = $1 AND version_number = $2 AND manifest IS NOT NULL AND time_retired IS NULL`,
        [id, version],
      );
    });
  }

  /** Removes retired versions that no job refers to. */
  async sweep(now: Date): Promise<void> {
    const before = new Date(now.getTime() - LIFETIME_SECONDS.formerVersion * 1000);
    const unused: { modelId: string; version: number; objectPrefix: string }[] = await this.db.query(UNUSED, [before]);
    for (const { modelId: id, version, objectPrefix } of unused) {
      const gone = await inTransaction(this.db, async (manager) => {
        await manager.query('SELECT 1 FROM models WHERE id = $1 FOR UPDATE', [id]);
        const rows: unknown[] = await manager.query(
          `WITH gone AS (
             DELETE FROM model_versions
              WHERE model_id = $1 AND version_number = $2 AND object_prefix = $3 AND time_retired < $4 RETURNING 1
           ) SELECT * FROM gone`,
          [id, version, objectPrefix, before],
        );
        if (rows.length === 0) return false;
        // Whoever dies now leaves it to the sweeper of objects.
        await noteRemovals(manager, [objectPrefix], { from: now });
        return true;
      });
      if (gone) await this.discard(objectPrefix);
    }
  }

  private async put(key: string, path: string, { sha256 }: StoredModelFile): Promise<void> {
    const digested = new Sha256Stream();
    const [, stored] = await Promise.allSettled([
      pipeline(createReadStream(path), digested),
      this.objects.put(key, digested),
    ]);
    if (stored.status === 'rejected') throw stored.reason;
    const hint = 'It changed while it was stored.';
    checkSha256({ name: path, found: digested.digest(), expected: sha256, code: 'INTERNAL', hint });
  }

  private async discard(objectPrefix: string): Promise<void> {
    await this.objects.deletePrefix(objectPrefix);
    await keepAfterAll(this.db.manager, objectPrefix);
  }

  private async change(id: string, version: number, work: (manager: EntityManager) => Promise<void>): Promise<void> {
    await inTransaction(this.db, async (manager) => {
      await manager.query('SELECT 1 FROM models WHERE id = $1 FOR UPDATE', [id]);
      const found: unknown[] = await manager.query(
        'SELECT 1 FROM model_versions WHERE model_id = $1 AND version_number = $2 AND manifest IS NOT NULL',
        [id, version],
      );
      if (found.length === 0) throw new AditError('NOT_FOUND', `The model has no stored version ${version}.`);
      await work(manager);
      await settleCanaries(manager, id);
    });
  }
}

/** Returns the type of a model by its task. */
function typeOf({ task }: ModelManifest): ModelType {
  if (task.startsWith('face')) return 'face';
  return task.startsWith('landmark') ? 'landmark' : 'object';
}

/**
 * Returns the kind of model that a name stands for once it has a version: the name of a gallery of people never becomes
 * a network.
 */
function sortOf(manifest: ModelManifest): string {
  return manifest.kind === 'network' ? 'a network' : `a gallery of type ${typeOf(manifest)}`;
}

async function writeDown(
  manager: EntityManager,
  { id, objectPrefix, given }: { id: string; objectPrefix: string; given: NewModelVersion },
): Promise<{ version: number; isNew: boolean }> {
  const { workspaceId, manifest, digest } = given;
  await given.before?.(manager);
  // Locks the model's row, so that versions are numbered one after the other.
  const [model]: { last: number }[] = await manager.query(
    `INSERT INTO models (id, workspace_id, name, type) VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING last_version AS last`,
    [id, workspaceId, manifest.name, typeOf(manifest)],
  );
  // Its workspace may have deleted it.
  await manager.query(
    'UPDATE workspace_models SET deleted_versions = NULL WHERE workspace_id = $1 AND model_id = $2 AND deleted_versions IS NOT NULL',
    [workspaceId, id],
  );
  const versions = await manager.findBy(ModelVersionEntity, { modelId: id });
  const other = versions.find(
    (each) => each.timeRetired === null && each.manifest !== null && sortOf(each.manifest) !== sortOf(manifest),
  );
  if (other?.manifest != null) {
    throw new AditError(
      'CONFLICT',
      `${manifest.name} is ${sortOf(other.manifest)} already: choose another name, or retire that first.`,
    );
  }
  const same = versions.find((each) => isSame(each, given));
  if (same !== undefined) {
    await manager.query(
      'UPDATE model_versions SET time_retired = NULL WHERE model_id = $1 AND version_number = $2 AND digest = $3',
      [id, same.versionNumber, digest],
    );
    return { version: same.versionNumber, isNew: false };
  }
  // Numbers of swept versions are not reused, since results refer to them.
  const version = given.number ?? Math.max(model?.last ?? 0, ...versions.map(({ versionNumber }) => versionNumber)) + 1;
  await manager.query('UPDATE models SET last_version = greatest(last_version, $2) WHERE id = $1', [id, version]);
  await manager.query(
    `INSERT INTO model_versions
       (model_id, version_number, digest, changelog, source_dataset_id, manifest, files, object_prefix, metrics)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (model_id, version_number, digest) DO UPDATE
       SET manifest = excluded.manifest, files = excluded.files, object_prefix = excluded.object_prefix,
           metrics = excluded.metrics, time_retired = NULL`,
    [
      ...[id, version, digest, given.changelog ?? '', given.sourceDatasetId ?? null],
      JSON.stringify(manifest),
      JSON.stringify(given.files.map(({ name, size, sha256 }) => ({ name, size, sha256 }))),
      objectPrefix,
      given.metrics == null ? null : JSON.stringify(given.metrics),
    ],
  );
  await keepAfterAll(manager, objectPrefix);
  return { version, isNew: true };
}

/**
 * Tests whether a version of the model equals the one to be stored. Throws CONFLICT when another one has its number.
 */
function isSame({ versionNumber, digest, manifest, timeRetired }: ModelVersionEntity, given: NewModelVersion): boolean {
  if (manifest === null) return false;
  if (given.number === undefined) return digest === given.digest && timeRetired === null;
  if (versionNumber !== given.number) return false;
  if (digest === given.digest) return true;
  const { name } = given.manifest;
  throw new AditError('CONFLICT', `${name} has another version ${versionNumber}: a version never changes.`);
}

const STORED = 'model_versions v JOIN models m ON m.id = v.model_id WHERE v.manifest IS NOT NULL';

const STATE = `
  SELECT coalesce(md5(string_agg(concat_ws(' ', v.model_id, v.version_number, v.digest, v.time_retired, m.default_version), ','
                                 ORDER BY v.model_id, v.version_number)), '') AS state FROM ${STORED}`;

const VERSIONS = `
  SELECT m.id AS "modelId", m.workspace_id AS "workspaceId", m.name, m.default_version AS "defaultVersion",
         v.version_number AS version, v.digest, v.files, v.object_prefix AS "objectPrefix",
         v.time_retired AS "timeRetired",
         CASE WHEN concat_ws(' ', v.model_id, v.version_number, v.digest) = ANY($1) THEN NULL ELSE v.manifest END AS manifest
    FROM ${STORED} ORDER BY m.name, m.workspace_id NULLS FIRST, v.version_number`;

const REFERRED = `models @> jsonb_build_array(jsonb_build_object('digest', v.digest))`;

const UNUSED = `
  SELECT v.model_id AS "modelId", v.version_number AS version, v.object_prefix AS "objectPrefix" FROM ${STORED}
     AND v.time_retired < $1
     AND NOT EXISTS (SELECT 1 FROM job_modules j WHERE j.${REFERRED})
     AND NOT EXISTS (SELECT 1 FROM job_analyses j WHERE j.${REFERRED})
   LIMIT 500`;
