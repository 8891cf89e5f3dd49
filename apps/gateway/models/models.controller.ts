import { NewModel, type Model } from '@adit/contracts';
import { Controller, Inject } from '@nestjs/common';
import type { Caller } from '../http/caller.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import {
  addModel,
  deleteModel,
  getModel,
  listFollowed,
  listModels,
  promoteVersion,
  replaceModel,
  retireVersion,
} from './model-routes.js';
import { SyncedRows } from './synced-rows.js';
import { madeWithin, modelsOf } from './model-pages.js';
import { Models } from './models.js';
import { NewModels } from './new-models.js';

const refuseOthers = ({ models }: ModelsController, caller: Caller, { params }: { params: { modelId: string } }) =>
  models.refuseOthers(caller, params.modelId);

@Controller()
export class ModelsController {
  constructor(
    @Inject(Models) readonly models: Models,
    @Inject(NewModels) private readonly added: NewModels,
    @Inject(SyncedRows) private readonly synced: SyncedRows,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listModels)
  async list({ query }: Input<typeof listModels>, { caller, request }: Exchange) {
    const models = madeWithin(await this.models.list(caller.workspaceId, query.kind), query);
    const page = askedPage(query);
    if (page === null) return models;
    const { shown, next } = modelsOf(models, page);
    return this.links.page(request, page, models.length, shown, next);
  }

  @Route(listFollowed)
  listFollowed() {
    return this.synced.shown();
  }

  @Route(getModel)
  one({ params, query }: Input<typeof getModel>, { caller }: Exchange) {
    return this.models.get(caller.workspaceId, params.modelId, query.kind);
  }

  @Route(addModel)
  async add({ body }: Input<typeof addModel>, exchange: Exchange) {
    const { caller, request, isDone, done } = exchange;
    const { file_uri: uri, ...given } = body ?? {};
    if (uri === undefined) return this.network(caller, (await this.added.fromForm(caller, request)).modelId);
    const model = NewModel.parse(given);
    if (isDone) return this.network(caller, await this.added.idOf(caller, model));
    return this.network(caller, (await this.added.fromStorage(caller, model, uri, done)).modelId);
  }

  @Route(promoteVersion, refuseOthers)
  async promote({ params }: Input<typeof promoteVersion>, exchange: Exchange) {
    await this.models.promote(exchange, params.modelId, params.version);
    return this.network(exchange.caller, params.modelId);
  }

  @Route(retireVersion, refuseOthers)
  async retire({ params }: Input<typeof retireVersion>, exchange: Exchange) {
    const { name } = await this.models.retire(exchange, params.modelId, params.version);
    return { message: `Version ${params.version} of ${name} was retired.` };
  }

  @Route(replaceModel)
  replace({ params, body }: Input<typeof replaceModel>, { caller }: Exchange) {
    return this.models.change(caller.workspaceId, params.modelId, body);
  }

  @Route(deleteModel)
  async delete({ params }: Input<typeof deleteModel>, { caller }: Exchange) {
    const { name } = await this.models.remove(caller.workspaceId, params.modelId);
    return { message: `The model ${name} was deleted from this workspace; its files stay.` };
  }

  private network({ workspaceId }: Caller, id: string): Promise<Model> {
    return this.models.get(workspaceId, id, 'network');
  }
}
