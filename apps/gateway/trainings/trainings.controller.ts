import { setTimeout as sleep } from 'node:timers/promises';
import {
  AditError,
  type CustomFields,
  type DatasetType,
  type Model,
  type Training,
  type TrainingConfig,
  type TrainingRequest,
} from '@adit/contracts';
import { createdWithin, inTransaction, isUuid, readPage, refuseBeyond, TrainingEntity } from '@adit/database';
import {
  DEFAULT_LIMITS,
  deleteTraining,
  insertTraining,
  landmarkOfFields,
  INFERENCE_NETWORKS,
  requestMissingInferences,
  readDatasets,
  trainedCounts,
} from '@adit/datasets';
import { ModelRepository } from '@adit/inference';
import { presentTraining } from '@adit/presentation';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, LessThan, LessThanOrEqual, type EntityManager, type FindOperator } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Links } from '../http/links.js';
import { longList, longPage } from '../http/long-lists.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import { refuseMoreModels } from '../models/model-quota.js';
import { Models } from '../models/models.js';
import * as routes from './training-routes.js';

/** Until every process has taken a new version up. */
const NOTICED_MS = 10_000;
/** Trainings of a long list that are read together: the report of one names up to 1,000 images. */
const PART = 50;

const FACE_CONFIG: TrainingConfig = {
  min_face_size: DEFAULT_LIMITS.minFaceSize,
  sharpness_threshold: DEFAULT_LIMITS.sharpness,
};

/** Trainings are done by the aggregator. */
@Controller()
export class TrainingsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Models) private readonly models: Models,
    @Inject(ModelRepository) private readonly networks: ModelRepository,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(routes.listTrainings)
  async list({ query }: Input<typeof routes.listTrainings>, { caller: { workspaceId }, request, reply }: Exchange) {
    const models = await this.models.list(workspaceId);
    const shown = (rows: TrainingEntity[]) =>
      rows.map((row) => presentTraining(row, models.find(({ id }) => id === row.modelId) ?? null));
    const show = (rows: TrainingEntity[]) => Promise.resolve(shown(rows));
    const created = createdWithin(query);
    const where = { workspaceId, ...(created !== null && { timeCreated: created }) };
    const read = (seq: FindOperator<string> | null, take: number) =>
      this.db.manager.find(TrainingEntity, { where: { ...where, ...(seq && { seq }) }, order: { seq: 'DESC' }, take });
    const page = askedPage(query);
    if (page === null) {
      return longList(reply, (after, take) => read(after && LessThan(after.seq), take), show, PART);
    }
    // Only the ids are sorted, since the rows themselves are large.
    const found = this.db.manager.createQueryBuilder(TrainingEntity, 't').select(['t.id', 't.seq']).where(where);
    const order = [{ by: 't.seq', kind: 'number', descending: true } as const];
    const { rows: places, total, next } = await readPage(found, page, order);
    const [first] = places;
    const from = (after: TrainingEntity | null, take: number) =>
      read(after === null ? LessThanOrEqual(first?.seq ?? '0') : LessThan(after.seq), take);
    return longPage(reply, this.links.page(request, page, total, [], next), from, show, PART);
  }

  @Route(routes.createTraining)
  async create({ body }: Input<typeof routes.createTraining>, exchange: Exchange) {
    const { newId: id, isDone, done } = exchange;
    const { workspaceId } = exchange.caller;
    if (isDone) return this.shown(workspaceId, id);
    const { source_dataset_id: datasetId, output_model_name: modelName, config } = body;
    const [dataset] = isUuid(datasetId) ? await readDatasets(this.db.manager, workspaceId, [datasetId]) : [];
    if (dataset === undefined) {
      const message = `There is no dataset ${datasetId}.`;
      const errors = [{ pointer: '/source_dataset_id', code: 'unknown_dataset', message }];
      throw new AditError('VALIDATION', message, { errors });
    }
    if (dataset.type === 'landmark') await this.checkLandmarks(dataset.id, config);
    await this.refuseTaken(workspaceId, body, dataset.type);
    const { pin: network, manifest } = this.networks.resolve(INFERENCE_NETWORKS[dataset.type]);
    const { trainingMemoryBytes: memoryBytes } = this.config;
    await trainedCounts(this.db.manager, { datasetId, dimensions: manifest.dimensions ?? 0, memoryBytes });
    await inTransaction(this.db, async (manager) => {
      await done(manager);
      await this.refuseMore(manager, workspaceId, modelName);
      await requestMissingInferences(manager, dataset.id, network.digest);
      await insertTraining(manager, {
        ...{ id, workspaceId, datasetId: dataset.id, type: dataset.type, dataset, modelName },
        config: dataset.type === 'face' ? { ...FACE_CONFIG, ...config } : {},
        modelDescription: body.output_model_description,
        modelChangelog: body.output_model_changelog,
      });
    });
    return this.shown(workspaceId, id);
  }

  @Route(routes.getTraining)
  one({ params }: Input<typeof routes.getTraining>, { caller }: Exchange) {
    return this.shown(caller.workspaceId, params.trainingId);
  }

  @Route(routes.deleteTraining)
  delete({ params }: Input<typeof routes.deleteTraining>, { caller }: Exchange) {
    return this.remove(caller.workspaceId, params.trainingId);
  }

  @Route(routes.deleteTrainingAsListed)
  deleteAsListed({ query }: Input<typeof routes.deleteTrainingAsListed>, { caller }: Exchange) {
    return this.remove(caller.workspaceId, query.id);
  }

  /** Throws CONFLICT when as many trainings have not ended as may, or the workspace may have no more models. */
  private async refuseMore(manager: EntityManager, workspaceId: string, name: string): Promise<void> {
    const { maxOpenTrainings: most, maxModels } = this.config;
    await refuseBeyond(manager, {
      kind: 'trainings',
      ownerId: workspaceId,
      most,
      rows: `SELECT 1 FROM trainings WHERE workspace_id = $1 AND state IN ('waiting', 'processing')`,
      message: `${most} trainings of this workspace have not ended; wait for one of them, or delete it.`,
    });
    await refuseMoreModels(manager, workspaceId, { name, most: maxModels });
  }

  private async remove(workspaceId: string, id: string): Promise<{ message: string }> {
    const row = await this.row(workspaceId, id);
    await deleteTraining(this.db.manager, row.id);
    return { message: `The training of ${row.modelName} was deleted.` };
  }

  /** Throws VALIDATION for parameters, which landmarks have none of, and for places that are none. */
  private async checkLandmarks(datasetId: string, config: TrainingConfig): Promise<void> {
    const [parameter] = Object.keys(config);
    if (parameter !== undefined) {
      const message = `${parameter} is for faces: a training of landmarks has no parameters.`;
      const errors = [{ pointer: `/config/${parameter}`, code: 'unknown_argument', message }];
      throw new AditError('VALIDATION', message, { errors });
    }
    const classes: { label: string; fields: CustomFields }[] = await this.db.query(
      `SELECT label, custom_fields AS fields FROM dataset_classes
        WHERE dataset_id = $1 AND time_deleted IS NULL AND active AND custom_fields <> '[]'`,
      [datasetId],
    );
    for (const { label, fields } of classes) landmarkOfFields(label, fields);
  }

  /** Throws CONFLICT for a name that means another kind of model, or a public one. */
  private async refuseTaken(
    workspaceId: string,
    { output_model_name: name }: TrainingRequest,
    type: DatasetType,
  ): Promise<void> {
    const networks = await this.models.list(workspaceId, 'network');
    const network = networks.find((model) => model.name === name);
    if (network !== undefined) {
      const message = `${name} is a network, which nothing is added to by a training; choose another name.`;
      throw new AditError('CONFLICT', message, {
        errors: [{ pointer: '/output_model_name', code: 'exists', message }],
      });
    }
    const taken = (await this.models.list(workspaceId)).find((model) => model.name === name);
    if (taken === undefined || (taken.type === type && !taken.is_public)) return;
    const message = `${name} is ${taken.is_public ? 'a public model' : `a model of type ${taken.type}`}; choose another name.`;
    throw new AditError('CONFLICT', message, { errors: [{ pointer: '/output_model_name', code: 'exists', message }] });
  }

  /** A client that reads that it is completed can name the model. */
  private async modelOf(row: TrainingEntity): Promise<Model | null> {
    const { workspaceId, modelId, modelVersion } = row;
    if (modelId === null) return null;
    // One that is missing later was retired or deleted since.
    for (const end = Number(row.timeCompleted ?? 0) + NOTICED_MS; ;) {
      const model = (await this.models.list(workspaceId)).find(({ id }) => id === modelId);
      if (model?.versions.some((version) => version.version_number === modelVersion) === true) return model;
      if (Date.now() > end) return model ?? null;
      await sleep(100);
    }
  }

  private async shown(workspaceId: string, id: string): Promise<Training> {
    const row = await this.row(workspaceId, id);
    return presentTraining(row, await this.modelOf(row));
  }

  private async row(workspaceId: string, id: string): Promise<TrainingEntity> {
    const row = isUuid(id) ? await this.db.manager.findOneBy(TrainingEntity, { id, workspaceId }) : null;
    if (row === null) throw new AditError('NOT_FOUND', `There is no training ${id}.`);
    return row;
  }
}
