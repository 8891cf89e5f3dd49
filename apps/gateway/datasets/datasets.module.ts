import { Module } from '@nestjs/common';
import { DictionariesApiModule } from '../dictionaries/dictionaries.module.js';
import { HttpModule } from '../http/http.module.js';
import { StorageApiModule } from '../storage/storage.module.js';
import { ClassesController } from './classes.controller.js';
import { DatasetRows } from './dataset-rows.js';
import { DatasetsController } from './datasets.controller.js';
import { ImageFiles } from './image-files.js';
import { ImportsController } from './imports.controller.js';
import { ImagesController } from './images.controller.js';
import { SegmentPictures } from './segment-pictures.js';

/** Datasets, their classes and images, and imports of many. */
@Module({
  imports: [HttpModule, StorageApiModule, DictionariesApiModule],
  controllers: [DatasetsController, ClassesController, ImagesController, ImportsController],
  providers: [DatasetRows, ImageFiles, SegmentPictures],
})
export class DatasetsApiModule {}
