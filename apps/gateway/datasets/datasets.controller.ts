import { AditError, type Dataset } from '@adit/contracts';
import { DatasetEntity, inTransaction, isUuid, readPage, refuseBeyond } from '@adit/database';
import { deleteDataset, describeDataset, insertDataset, readDatasets } from '@adit/datasets';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Dictionaries } from '../dictionaries/dictionaries.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import * as routes from './dataset-routes.js';

@Controller()
export class DatasetsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Dictionaries) private readonly dictionaries: Dictionaries,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(routes.listDatasets)
  async list({ query }: Input<typeof routes.listDatasets>, { caller: { workspaceId }, request }: Exchange) {
    const found = this.db.manager
      .createQueryBuilder(DatasetEntity, 'd')
      .select('d.id')
      .where({ workspaceId, timeDeleted: IsNull() });
    const { rows, total, next } = await readPage(found, query, [{ by: 'd.seq', kind: 'number' }]);
    const ids = rows.map(({ id }) => id);
    return this.links.page(request, query, total, await readDatasets(this.db.manager, workspaceId, ids), next);
  }

  @Route(routes.createDataset)
  async create({ body }: Input<typeof routes.createDataset>, exchange: Exchange) {
    const { newId: id, isDone, done } = exchange;
    const { workspaceId } = exchange.caller;
    if (isDone) return this.read(workspaceId, id);
    const most = this.config.maxDatasets;
    await inTransaction(this.db, async (manager) => {
      await done(manager);
      await refuseBeyond(manager, {
        kind: 'datasets',
        ownerId: workspaceId,
        most,
        rows: 'SELECT 1 FROM datasets WHERE workspace_id = $1 AND time_deleted IS NULL',
        message: `A workspace has at most ${most} datasets; delete one.`,
      });
      await insertDataset(manager, { id, workspaceId, ...body });
    });
    return this.read(workspaceId, id);
  }

  @Route(routes.getDataset)
  one({ params }: Input<typeof routes.getDataset>, { caller }: Exchange) {
    return this.read(caller.workspaceId, params.datasetId);
  }

  @Route(routes.replaceDataset)
  replace({ params, body }: Input<typeof routes.replaceDataset>, { caller }: Exchange) {
    return this.changed(caller.workspaceId, params.datasetId, body);
  }

  @Route(routes.changeDataset)
  change({ params, body }: Input<typeof routes.changeDataset>, { caller }: Exchange) {
    return this.changed(caller.workspaceId, params.datasetId, body);
  }

  @Route(routes.deleteDataset)
  async delete({ params: { datasetId } }: Input<typeof routes.deleteDataset>, { caller: { workspaceId } }: Exchange) {
    try {
      if (!isUuid(datasetId)) throw notThere(datasetId);
      const { name } = await deleteDataset(this.db, workspaceId, datasetId);
      return { message: `The dataset ${name} was deleted.` };
    } catch (error) {
      if (AditError.from(error).code !== 'NOT_FOUND') throw error;
      // The interface lists the removal of a dictionary under this path, too.
      const { name } = await this.dictionaries.remove(workspaceId, datasetId).catch((other: unknown) => {
        throw AditError.from(other).code === 'NOT_FOUND' ? error : other;
      });
      return { message: `The dictionary ${name} was deleted.` };
    }
  }

  private async changed(
    workspaceId: string,
    id: string,
    { name, description }: { name?: string | undefined; description?: string | undefined },
  ): Promise<Dataset> {
    const before = await this.read(workspaceId, id);
    await describeDataset(this.db, {
      id: before.id,
      name: name ?? before.name,
      description: description ?? before.description,
    });
    return this.read(workspaceId, id);
  }

  private async read(workspaceId: string, id: string): Promise<Dataset> {
    const [dataset] = isUuid(id) ? await readDatasets(this.db.manager, workspaceId, [id]) : [];
    if (dataset === undefined) throw notThere(id);
    return dataset;
  }
}

function notThere(id: string): AditError {
  return new AditError('NOT_FOUND', `There is no dataset ${id}.`);
}
