import { AditError, elementAt, isoTime, type Model, type ModelRequest, zip } from '@adit/contracts';
import { inTransaction, WorkspaceModelEntity } from '@adit/database';
import { jobUsingModel } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ModelRecords, type ModelRecord } from './model-records.js';
import { ServedModels, type ServedModel } from './served-models.js';

/** The models a workspace can name: all that are installed, less those it deleted, with its own words about them. */
@Injectable()
export class Models {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ServedModels) private readonly served: ServedModels,
    @Inject(ModelRecords) private readonly records: ModelRecords,
  ) {}

  /** Public ones first, then by name. */
  async list(workspaceId: string): Promise<Model[]> {
    return this.shown(workspaceId, this.served.list(workspaceId));
  }

  /** Throws NOT_FOUND, also for one that the workspace has deleted. */
  async get(workspaceId: string, id: string): Promise<Model> {
    return this.one(workspaceId, this.find(workspaceId, id), id);
  }

  /** Replaces what the workspace says of a model. Throws NOT_FOUND, FORBIDDEN for public ones. */
  async change(workspaceId: string, id: string, fields: Change): Promise<Model> {
    const model = await this.owned(workspaceId, id);
    await this.db.manager.query(
      `INSERT INTO workspace_models (workspace_id, model_id, description, custom_fields) VALUES ($1, $2, $3, $4)
       ON CONFLICT (workspace_id, model_id) DO UPDATE
         SET description = excluded.description, custom_fields = excluded.custom_fields, time_updated = now()`,
      [workspaceId, model.id, fields.description ?? null, JSON.stringify(fields.custom_fields)],
    );
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
      await manager.query(
        `INSERT INTO workspace_models (workspace_id, model_id, deleted_versions) VALUES ($1, $2, $3)
         ON CONFLICT (workspace_id, model_id) DO UPDATE
           SET description = NULL, custom_fields = '[]', deleted_versions = excluded.deleted_versions, time_updated = now()`,
        [workspaceId, model.id, JSON.stringify(model.versions.map(versionKey))],
      );
    });
    return model;
  }

  /** Ids of models that its jobs cannot name. The database is asked only where something is installed that can be deleted. */
  async deletedBy(workspaceId: string): Promise<ReadonlySet<string>> {
    const deletable = this.served.list(workspaceId).filter(({ isPublic }) => !isPublic);
    if (deletable.length === 0) return new Set();
    const own = await this.ownRows(workspaceId);
    return new Set(deletable.filter((model) => isDeleted(model, own.get(model.id))).map(({ id }) => id));
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
    // What was said of a user's model does not count for the public one of the same name that takes its place.
    const ownOf = ({ id, isPublic }: ServedModel) => (isPublic ? undefined : rows.get(id));
    const there = models.filter((model) => !isDeleted(model, ownOf(model)));
    const records = await this.records.of(there);
    return Array.from(zip(there, records), ([model, record]) => presentModel(model, record, ownOf(model)));
  }

  private async ownRows(workspaceId: string): Promise<Map<string, WorkspaceModelEntity>> {
    const rows = await this.db.manager.findBy(WorkspaceModelEntity, { workspaceId });
    return new Map(rows.map((row) => [row.modelId, row]));
  }
}

type Change = Pick<ModelRequest, 'description' | 'custom_fields'>;

function versionKey({ number, digest }: ServedModel['versions'][number]): string {
  return `${number} ${digest}`;
}

/** A version that was not there then brings a model back: somebody has installed it since. */
function isDeleted({ versions }: ServedModel, own: WorkspaceModelEntity | undefined): boolean {
  const deleted = own?.deletedVersions ?? null;
  return deleted !== null && versions.every((version) => deleted.includes(versionKey(version)));
}

function presentModel(model: ServedModel, record: ModelRecord, own: WorkspaceModelEntity | undefined): Model {
  const { timeCreated } = record.model;
  const shown = record.versions.map(({ versionNumber, timeCreated: time, changelog }) => ({
    version_number: versionNumber,
    time_created: isoTime(time),
    changelog,
    source_dataset: null,
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
  };
}
