import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { ResultsApiModule } from '../results/results.module.js';
import { ExportsController } from './exports.controller.js';

/** Exports of jobs. */
@Module({
  imports: [HttpModule, JobsApiModule, ResultsApiModule],
  controllers: [ExportsController],
})
export class ExportsApiModule {}
