import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { FileThumbnails } from './file-thumbnails.js';
import { Removals } from './removals.js';
import { ResumableUploads } from './resumable-uploads.js';
import { StorageTree } from './storage-tree.js';
import { StorageV2Controller } from './storage-v2.controller.js';
import { StorageController } from './storage.controller.js';
import { StoredFiles } from './stored-files.js';
import { TusController } from './tus.controller.js';
import { UploadEntries } from './upload-entries.js';
import { Uploads } from './uploads.js';

/** Uploaded files in folders. */
@Module({
  imports: [HttpModule],
  controllers: [StorageController, StorageV2Controller, TusController],
  providers: [FileThumbnails, Removals, ResumableUploads, StorageTree, StoredFiles, UploadEntries, Uploads],
  exports: [Removals, StoredFiles, UploadEntries, Uploads],
})
export class StorageApiModule {}
