import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { FileThumbnails } from './file-thumbnails.js';
import { FileRemovals } from '@adit/storage';
import { ResumableUploads } from './resumable-uploads.js';
import { StorageTree } from './storage-tree.js';
import { StorageV2Controller } from './storage-v2.controller.js';
import { StorageUseController } from './storage-use.controller.js';
import { StorageController } from './storage.controller.js';
import { StoredFiles } from './stored-files.js';
import { TusController } from './tus.controller.js';
import { UploadEntries } from './upload-entries.js';
import { Uploads } from './uploads.js';

/** Uploaded files in folders. */
@Module({
  imports: [HttpModule],
  controllers: [StorageController, StorageUseController, StorageV2Controller, TusController],
  providers: [FileThumbnails, FileRemovals, ResumableUploads, StorageTree, StoredFiles, UploadEntries, Uploads],
  exports: [FileRemovals, FileThumbnails, StoredFiles, UploadEntries, Uploads],
})
export class StorageApiModule {}
