import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../http/http.module.js';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { EventStreamController } from './event-stream.controller.js';
import { OpenStreams } from './open-streams.js';
import { WorkspaceStreamController } from './workspace-stream.controller.js';

/** Events of one job or of a whole workspace, sent as they happen. */
@Module({
  imports: [AuthModule, HttpModule, JobsApiModule],
  controllers: [EventStreamController, WorkspaceStreamController],
  providers: [OpenStreams],
})
export class EventsApiModule {}
