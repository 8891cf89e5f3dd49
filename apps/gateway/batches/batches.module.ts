import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../http/http.module.js';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { UsageApiModule } from '../usage/usage.module.js';
import { BatchFiles } from './batch-files.js';
import { Batches } from './batches.js';
import { BatchesController } from './batches.controller.js';

/** Batches of jobs. They know jobs; jobs know of a batch only that it exists. */
@Module({
  imports: [AuthModule, HttpModule, JobsApiModule, UsageApiModule],
  controllers: [BatchesController],
  providers: [BatchFiles, Batches],
  exports: [Batches],
})
export class BatchesApiModule {}
