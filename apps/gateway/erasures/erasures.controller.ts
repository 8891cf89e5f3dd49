import { Controller, Inject } from '@nestjs/common';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { createErasure, getErasure, listErasures } from './erasure-routes.js';
import { Erasures } from './erasures.js';

@Controller()
export class ErasuresController {
  constructor(
    @Inject(Erasures) private readonly erasures: Erasures,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(createErasure)
  create({ body }: Input<typeof createErasure>, exchange: Exchange) {
    return this.erasures.erase(body, exchange);
  }

  @Route(getErasure)
  one({ params }: Input<typeof getErasure>, { caller }: Exchange) {
    return this.erasures.get(caller.workspaceId, params.erasureId);
  }

  @Route(listErasures)
  async list({ query }: Input<typeof listErasures>, { caller, request }: Exchange) {
    const { total, erasures, next } = await this.erasures.list(caller.workspaceId, query);
    return this.links.page(request, query, total, erasures, next);
  }
}
