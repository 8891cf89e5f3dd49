import { Module } from '@nestjs/common';
import { ModelsApiModule } from '../models/models.module.js';
import { ModulesController } from './modules.controller.js';
import { RequestResolver } from './resolve-request.js';

/** What a job can ask, and what a request’s modules resolve to. */
@Module({
  imports: [ModelsApiModule],
  controllers: [ModulesController],
  providers: [RequestResolver],
  exports: [RequestResolver],
})
export class ModulesApiModule {}
