import { ModuleRegistry } from '@adit/mining';
import { Controller, Inject } from '@nestjs/common';
import { Route } from '../http/route.js';
import { listModules } from './job-routes.js';
import { RequestResolver } from './resolve-request.js';

@Controller()
export class ModulesController {
  constructor(
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(RequestResolver) private readonly resolver: RequestResolver,
  ) {}

  @Route(listModules)
  list() {
    return this.modules.describe(this.resolver.installed());
  }
}
