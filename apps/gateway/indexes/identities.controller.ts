import { IndexedIdentities, type PlaceInList } from '@adit/indexes';
import { Controller, Inject } from '@nestjs/common';
import { Erasures } from '../erasures/erasures.js';
import { Links } from '../http/links.js';
import { longList } from '../http/long-lists.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import { deleteIdentity, getIdentity, labelIdentity, labelNamedIdentity, listIdentities } from './identity-routes.js';

@Controller()
export class IdentitiesController {
  constructor(
    @Inject(IndexedIdentities) private readonly identities: IndexedIdentities,
    @Inject(Erasures) private readonly erasures: Erasures,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listIdentities)
  async list({ params, query }: Input<typeof listIdentities>, { caller, request, reply }: Exchange) {
    const { workspaceId } = caller;
    const { collectionName } = params;
    const page = askedPage(query);
    if (page === null) {
      return longList<PlaceInList>(
        reply,
        (after, limit) => this.identities.behind(workspaceId, collectionName, after, { ...query, limit }),
        (places) => this.identities.at(workspaceId, places),
      );
    }
    const asked = { ...page, search: query.search, named: query.named };
    const { total, identities, next } = await this.identities.list(workspaceId, collectionName, asked);
    return this.links.page(request, page, total, identities, next);
  }

  @Route(getIdentity)
  one({ params }: Input<typeof getIdentity>, { caller }: Exchange) {
    return this.identities.get(caller.workspaceId, params.collectionName, params.indexId);
  }

  @Route(labelNamedIdentity)
  labelNamed({ params, body }: Input<typeof labelNamedIdentity>, { caller }: Exchange) {
    return this.identities.label(caller.workspaceId, params.collectionName, body.index_id, body.label);
  }

  @Route(labelIdentity)
  label({ params, body }: Input<typeof labelIdentity>, { caller }: Exchange) {
    return this.identities.label(caller.workspaceId, params.collectionName, params.indexId, body.label);
  }

  @Route(deleteIdentity)
  async delete({ params: { collectionName, indexId } }: Input<typeof deleteIdentity>, exchange: Exchange) {
    await this.identities.get(exchange.caller.workspaceId, collectionName, indexId);
    const receipt = await this.erasures.erase({ index_id: indexId }, exchange);
    return { ...receipt, message: `The identity ${indexId} was taken out of ${collectionName}.` };
  }
}
