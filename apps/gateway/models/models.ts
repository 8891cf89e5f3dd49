import {
  AditError,
  elementAt,
  isoTime,
  type Dataset,
  type Json,
  type Model,
  type ModelRequest,
  zip,
} from '@adit/contracts';
import { inTransaction, WorkspaceModelEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { jobUsingModel } from '@adit/jobs';
import { describeModel, hideVersions, ModelStore } from '@adit/model-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../http/caller.js';
import type { Exchange } from '../http/route.js';
import { ModelRecords, type ModelRecord } from './model-records.js';
import { ServedModels, type ServedModel } from './served-models.js';

/** The models a workspace can name: all that are installed, less those it deleted, with its own words about them. */
@Injectable()
export class Models {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ServedModels) private readonly served: ServedModels,
    @Inject(ModelRecords) private readonly records: ModelRecords,
    @Inject(ModelStore) private readonly store: ModelStore,
    @Inject(ModelRepository) private readonly repository: ModelRepository,
  ) {}

  /** Public ones first, then by name; with `network` also those that only analyses look with. */
  async list(workspaceId: string, kind?: Kind): Promise<Model[]> {
    return this.shown(workspaceId, this.seen(workspaceId, kind));
  }

  /** Throws NOT_FOUND, also for one that the workspace has deleted. */
  async get(workspaceId: string, id: string, kind?: Kind): Promise<Model> {
    const model = this.seen(workspaceId, kind).find((each) => each.id === id.toLowerCase());
    return this.one(workspaceId, model, id);
  }

  /** Throws NOT_FOUND, FORBIDDEN for a model of all workspaces, CONFLICT for one of a folder. */
  async promote({ caller, isDone, done }: Exchange, id: string, version: number): Promise<void> {
    const model = await this.storedOf(caller, id);
    if (!isDone) await this.store.promote(model.id, version, done);
    await this.repository.refresh();
  }

  /** Works like `promote`. */
  async retire({ caller, isDone, done }: Exchange, id: string, version: number): Promise<ServedModel> {
    const model = await this.storedOf(caller, id);
    if (!isDone) await this.store.retire(model.id, version, done);
    await this.repository.refresh();
    return model;
  }

  /** Replaces what the workspace says of a model. Throws NOT_FOUND, FORBIDDEN for public ones. */
  async change(workspaceId: string, id: string, fields: Change): Promise<Model> {
    const model = await this.owned(workspaceId, id);
    const { description = null, custom_fields: customFields } = fields;
    await describeModel(this.db.manager, { workspaceId, modelId: model.id }, { description, customFields });
    return this.one(workspaceId, model, id);
  }

  /**
   * Takes a model from the workspace; the files stay where they are, since they are the installation's. Throws NOT_FOUND,
   * FORBIDDEN for public ones, CONFLICT while a job that has not ended uses it.
   */
  async remove(workspaceId: string, id: string): Promise<ServedModel> {
    const model = await this.owned(workspaceId, id);
    await inTransaction(this.db, async (manager) => {
      // A job that is being posted at this moment runs: it has its pin, and the files are there.
      const job = await jobUsingModel(manager, workspaceId, model.name);
      if (job !== null) {
        throw new AditError('CONFLICT', `Job ${job} still uses the model ${model.name}; stop or delete it first.`);
      }
      await hideVersions(manager, { workspaceId, modelId: model.id }, model.versions.map(versionKey));
    });
    if (model.workspaceId === workspaceId) {
      for (const { number } of model.versions) await this.store.retire(model.id, number);
      await this.repository.refresh();
    }
    return model;
  }

  /** Ids of models that its jobs cannot name. The database is asked only where something is installed that can be deleted. */
  async deletedBy(workspaceId: string): Promise<ReadonlySet<string>> {
    const deletable = this.served.list(workspaceId).filter(({ isPublic }) => !isPublic);
    if (deletable.length === 0) return new Set();
    const own = await this.ownRows(workspaceId);
    return new Set(deletable.filter((model) => isDeleted(model, own.get(model.id))).map(({ id }) => id));
  }

  private seen(workspaceId: string, kind?: Kind): readonly ServedModel[] {
    if (kind === undefined) return this.served.list(workspaceId);
    return this.served.all(workspaceId).filter(({ manifest }) => manifest.kind === kind);
  }

  /** Throws NOT_FOUND, FORBIDDEN for a model of all workspaces, CONFLICT for one of a folder. */
  async storedOf({ workspaceId, role }: Caller, id: string): Promise<ServedModel> {
    const model = this.served.all(workspaceId).find((each) => each.id === id.toLowerCase());
    const { name } = await this.one(workspaceId, model, id);
    if (model?.isStored !== true) {
      throw new AditError('CONFLICT', `${name} lies in a folder: its versions are those that are in it.`);
    }
    if (model.workspaceId === null && role !== 'owner') {
      throw new AditError('FORBIDDEN', `${name} is a model of all workspaces: that needs a key with the role owner.`);
    }
    return model;
  }

  /**
   * Throws as `storedOf`, of what is not the workspace's own, for who is no owner: only an owner can have changed that. Says nothing
   * of what is its own, which may be gone since it was changed.
   */
  async refuseOthers(caller: Caller, id: string): Promise<void> {
    const { workspaceId, role } = caller;
    if (role !== 'owner' && !(await this.store.isOf(workspaceId, id))) await this.storedOf(caller, id);
  }

  private find(workspaceId: string, id: string): ServedModel | undefined {
    return this.served.list(workspaceId).find((model) => model.id === id.toLowerCase());
  }

  private async one(workspaceId: string, model: ServedModel | undefined, id: string): Promise<Model> {
    const [shown] = model === undefined ? [] : await this.shown(workspaceId, [model]);
    if (shown === undefined) throw new AditError('NOT_FOUND', `There is no model ${id}.`);
    return shown;
  }

  private async owned(workspaceId: string, id: string): Promise<ServedModel> {
    const model = this.find(workspaceId, id);
    const { name, is_public: isPublic } = await this.one(workspaceId, model, id);
    if (model === undefined) throw new AditError('NOT_FOUND', `There is no model ${id}.`);
    if (isPublic) throw new AditError('FORBIDDEN', `${name} is a public model; it cannot be changed or deleted.`);
    return model;
  }

  private async shown(workspaceId: string, models: readonly ServedModel[]): Promise<Model[]> {
    const rows = await this.ownRows(workspaceId);
    // Descriptions of a user's model do not count for the public one of the same name that takes its place.
    const ownOf = ({ id, isPublic }: ServedModel) => (isPublic ? undefined : rows.get(id));
    const there = models.filter((model) => !isDeleted(model, ownOf(model)));
    const records = await this.records.of(there);
    const datasets = await this.datasetsOf(workspaceId, there);
    return Array.from(zip(there, records), ([model, record]) =>
      presentModel(model, record, { own: ownOf(model), datasets }),
    );
  }

  /**
   * Returns the datasets that versions of the models were trained with, by model and version. Reports of faults come
   * with the dataset.
   */
  private async datasetsOf(workspaceId: string, models: readonly ServedModel[]): Promise<ReadonlyMap<string, Dataset>> {
    const rows: { key: string; dataset: Dataset }[] = await this.db.query(
      `SELECT model_id || ' ' || model_version AS key, jsonb_set(dataset, '{issues,reasons}', '[]') AS dataset
         FROM trainings WHERE workspace_id = $1 AND state = 'completed' AND model_id = ANY($2) ORDER BY seq DESC`,
      [workspaceId, models.map(({ id }) => id)],
    );
    return new Map(rows.map(({ key, dataset }) => [key, dataset]));
  }

  private async ownRows(workspaceId: string): Promise<Map<string, WorkspaceModelEntity>> {
    const rows = await this.db.manager.findBy(WorkspaceModelEntity, { workspaceId });
    return new Map(rows.map((row) => [row.modelId, row]));
  }
}

type Kind = 'network' | 'gallery';
type Change = Pick<ModelRequest, 'description' | 'custom_fields'>;

function versionKey({ number, digest }: ServedModel['versions'][number]): string {
  return `${number} ${digest}`;
}

/** A version that was not there then brings a model back: somebody has installed it since. */
function isDeleted({ versions }: ServedModel, own: WorkspaceModelEntity | undefined): boolean {
  const deleted = own?.deletedVersions ?? null;
  return deleted !== null && versions.every((version) => deleted.includes(versionKey(version)));
}

/** Whoever made a version may have measured more than numbers. */
function numbersOf(metrics: Record<string, Json>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).filter((each): each is [string, number] => typeof each[1] === 'number'),
  );
}

function presentModel(
  model: ServedModel,
  record: ModelRecord,
  { own, datasets }: { own: WorkspaceModelEntity | undefined; datasets: ReadonlyMap<string, Dataset> },
): Model {
  const { timeCreated } = record.model;
  const { manifest } = model;
  const shown = record.versions.map(({ versionNumber, timeCreated: time, changelog, digest, metrics }) => ({
    version_number: versionNumber,
    time_created: isoTime(time),
    changelog,
    source_dataset: datasets.get(`${model.id} ${versionNumber}`) ?? null,
    digest,
    metrics: metrics === null ? null : numbersOf(metrics),
  }));
  const times = [
    timeCreated,
    ...record.versions.map((version) => version.timeCreated),
    own?.timeUpdated ?? timeCreated,
  ];
  return {
    id: model.id,
    name: model.name,
    description: own?.description ?? model.manifest.description,
    versions: shown,
    latest_version: elementAt(shown, -1),
    type: model.type,
    modules: model.modules,
    is_public: model.isPublic,
    time_created: isoTime(timeCreated),
    time_updated: isoTime(new Date(Math.max(...times.map(Number)))),
    custom_fields: own?.customFields ?? [],
    default_version: model.defaultVersion,
    scope: model.workspaceId === null ? 'installation' : 'workspace',
    task: manifest.task,
    family: manifest.family ?? null,
    licence: manifest.licence,
    origin: manifest.origin,
    input: manifest.input ?? null,
    labels: manifest.labels ?? null,
  };
}
