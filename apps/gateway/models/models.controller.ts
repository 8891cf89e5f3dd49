import { PageQuery } from '@adit/contracts';
import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { deleteModel, getModel, listModels, replaceModel } from './model-routes.js';
import { Models } from './models.js';

@Controller()
export class ModelsController {
  constructor(
    @Inject(Models) private readonly models: Models,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listModels)
  async list({ query }: Input<typeof listModels>, { caller, request }: Exchange) {
    const models = await this.models.list(caller.workspaceId);
    if (query.offset === undefined && query.limit === undefined) return models;
    const page = PageQuery.parse(query);
    const shown = models.slice(page.offset, page.offset + page.limit);
    return this.links.page(request, page, models.length, shown);
  }

  @Route(getModel)
  one({ params }: Input<typeof getModel>, { caller }: Exchange) {
    return this.models.get(caller.workspaceId, params.modelId);
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
}
