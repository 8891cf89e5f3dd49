import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { CanariesController } from './canaries.controller.js';
import { SyncedModels } from './synced-models.js';
import { SyncedRows } from './synced-rows.js';
import { ModelCanaries } from './model-canaries.js';
import { ModelRecords } from './model-records.js';
import { Models } from './models.js';
import { NewModels } from './new-models.js';
import { ModelsController } from './models.controller.js';
import { ServedModels } from './served-models.js';

/** Models as a workspace sees them. */
@Module({
  imports: [HttpModule],
  controllers: [ModelsController, CanariesController],
  providers: [SyncedModels, SyncedRows, ModelCanaries, ModelRecords, Models, NewModels, ServedModels],
  exports: [Models, ServedModels],
})
export class ModelsApiModule {}
