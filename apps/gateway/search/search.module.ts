import { PostgresIndex } from '@adit/search';
import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FacesApiModule } from '../faces/faces.module.js';
import { HttpModule } from '../http/http.module.js';
import { OnlineInferenceModule } from '../online-inference/online-inference.module.js';
import { Thumbnails } from '../results/thumbnails.js';
import { SavedSearchesController } from './saved-searches.controller.js';
import { SearchReader } from './search-reader.js';
import { SearchController } from './search.controller.js';

/** The search over all jobs of a workspace. */
@Module({
  imports: [HttpModule, FacesApiModule, OnlineInferenceModule],
  controllers: [SearchController, SavedSearchesController],
  providers: [
    SearchReader,
    Thumbnails,
    { provide: PostgresIndex, useFactory: (db: DataSource) => new PostgresIndex(db), inject: [DataSource] },
  ],
})
export class SearchApiModule {}
