import { Module } from '@nestjs/common';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { EventStreamController } from './event-stream.controller.js';

/** A job’s events as they happen. */
@Module({
  imports: [JobsApiModule],
  controllers: [EventStreamController],
})
export class EventsApiModule {}
