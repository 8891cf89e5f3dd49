import { Module } from '@nestjs/common';
import { BatchesApiModule } from '../batches/batches.module.js';
import { HttpModule } from '../http/http.module.js';
import { ReportsController } from './reports.controller.js';

/** Reports on batches. */
@Module({
  imports: [BatchesApiModule, HttpModule],
  controllers: [ReportsController],
})
export class ReportsApiModule {}
