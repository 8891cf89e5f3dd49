import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../http/http.module.js';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { StorageApiModule } from '../storage/storage.module.js';
import { MediaLinksController } from './media-links.controller.js';
import { MediaLinks } from './media-links.js';

/** Addresses of media that are signed for minutes. */
@Module({
  imports: [AuthModule, HttpModule, JobsApiModule, StorageApiModule],
  controllers: [MediaLinksController],
  providers: [MediaLinks],
})
export class MediaLinksApiModule {}
