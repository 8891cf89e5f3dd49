import { Module } from '@nestjs/common';
import { ModelsApiModule } from '../models/models.module.js';
import { ModulesController } from './modules.controller.js';
import { RequestResolver } from './resolve-request.js';

/** Lists the modules, and resolves those of a request. */
@Module({
  imports: [ModelsApiModule],
  controllers: [ModulesController],
  providers: [RequestResolver],
  exports: [RequestResolver],
})
export class ModulesApiModule {}
