import { Controller, Inject } from '@nestjs/common';
import type { Caller } from '../http/caller.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { dropCanary, getCanary, getCanaryPicture, promoteCanary, startCanary } from './canary-routes.js';
import { ModelCanaries } from './model-canaries.js';

const refuseOthers = ({ canaries }: CanariesController, caller: Caller, { params }: { params: { modelId: string } }) =>
  canaries.refuseOthers(caller, params.modelId);

@Controller()
export class CanariesController {
  constructor(@Inject(ModelCanaries) readonly canaries: ModelCanaries) {}

  @Route(startCanary, refuseOthers)
  start({ params, body }: Input<typeof startCanary>, exchange: Exchange) {
    return this.canaries.start(exchange, params.modelId, body);
  }

  @Route(getCanary)
  read({ params }: Input<typeof getCanary>, { caller }: Exchange) {
    return this.canaries.report(caller, params.modelId);
  }

  @Route(promoteCanary, refuseOthers)
  promote({ params }: Input<typeof promoteCanary>, exchange: Exchange) {
    return this.canaries.promote(exchange, params.modelId);
  }

  @Route(dropCanary, refuseOthers)
  drop({ params }: Input<typeof dropCanary>, exchange: Exchange) {
    return this.canaries.drop(exchange, params.modelId);
  }

  @Route(getCanaryPicture)
  picture({ params }: Input<typeof getCanaryPicture>, exchange: Exchange) {
    return this.canaries.sendPicture(params.modelId, params.pictureId, exchange);
  }
}
