import { ModuleRegistry } from '@adit/module-kit';
import { Controller, Inject } from '@nestjs/common';
import { Route, type Exchange, type Input } from '../http/route.js';
import { listModules } from './module-routes.js';
import { RequestResolver } from './resolve-request.js';

@Controller()
export class ModulesController {
  constructor(
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(RequestResolver) private readonly resolver: RequestResolver,
  ) {}

  @Route(listModules)
  async list(_: Input<typeof listModules>, { caller }: Exchange) {
    return this.modules.describe(await this.resolver.installed(caller.workspaceId));
  }
}
