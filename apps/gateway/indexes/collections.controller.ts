import { IndexCollections, presentCollection } from '@adit/indexes';
import { Controller, Inject } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import {
  createCollection,
  deleteCollection,
  getCollection,
  listCollections,
  replaceCollection,
  replaceNamedCollection,
} from './collection-routes.js';

@Controller()
export class CollectionsController {
  constructor(
    @Inject(IndexCollections) private readonly collections: IndexCollections,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(listCollections)
  async list({ query }: Input<typeof listCollections>, { caller, request }: Exchange) {
    const page = askedPage(query);
    const { total, rows, next } = await this.collections.list(caller.workspaceId, page ?? query);
    const shown = rows.map(presentCollection);
    return page === null ? shown : this.links.page(request, page, total, shown, next);
  }

  @Route(getCollection)
  async one({ params }: Input<typeof getCollection>, { caller }: Exchange) {
    return presentCollection(await this.collections.get(caller.workspaceId, params.collectionName));
  }

  @Route(createCollection)
  async create({ body }: Input<typeof createCollection>, { caller, newId: id, isDone, done: beside }: Exchange) {
    const { workspaceId } = caller;
    if (isDone) return presentCollection(await this.collections.get(workspaceId, body.name));
    const { maxIndexCollections: most } = this.config;
    return presentCollection(await this.collections.create(workspaceId, body, { id, most, beside }));
  }

  @Route(replaceNamedCollection)
  async replaceNamed({ body }: Input<typeof replaceNamedCollection>, { caller }: Exchange) {
    return presentCollection(await this.collections.describe(caller.workspaceId, body.name, body.description));
  }

  @Route(replaceCollection)
  async replace({ params, body }: Input<typeof replaceCollection>, { caller }: Exchange) {
    return presentCollection(
      await this.collections.describe(caller.workspaceId, params.collectionName, body.description),
    );
  }

  @Route(deleteCollection)
  async delete({ params: { collectionName } }: Input<typeof deleteCollection>, { caller }: Exchange) {
    await this.collections.remove(caller.workspaceId, collectionName);
    return { message: `The index collection ${collectionName} was deleted.` };
  }
}
