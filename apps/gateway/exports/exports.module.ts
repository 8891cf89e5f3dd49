import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { ResultsApiModule } from '../results/results.module.js';
import { TranscriptsApiModule } from '../transcripts/transcripts.module.js';
import { UsageApiModule } from '../usage/usage.module.js';
import { ExportsController } from './exports.controller.js';

/** Exports of jobs and transcripts. */
@Module({
  imports: [HttpModule, JobsApiModule, ResultsApiModule, TranscriptsApiModule, UsageApiModule],
  controllers: [ExportsController],
})
export class ExportsApiModule {}
