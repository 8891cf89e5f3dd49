import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { StorageCredentialsController } from './storage-credentials.controller.js';

/** What opens buckets of others, for the sources of jobs. */
@Module({
  imports: [HttpModule],
  controllers: [StorageCredentialsController],
})
export class StorageCredentialsApiModule {}
