import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { ResultsApiModule } from '../results/results.module.js';
import { StreamsController } from './streams.controller.js';

/** How live streams do. */
@Module({
  imports: [HttpModule, JobsApiModule, ResultsApiModule],
  controllers: [StreamsController],
})
export class StreamsApiModule {}
