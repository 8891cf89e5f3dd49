import { Module } from '@nestjs/common';
import { IndexesApiModule } from '../indexes/indexes.module.js';
import { OnlineInferenceModule } from '../online-inference/online-inference.module.js';
import { ModulesApiModule } from '../modules/modules.module.js';
import { FacesController } from './faces.controller.js';
import { Faces } from './faces.js';
import { SearchedPeople } from './searched-people.js';

/** Faces of one picture, answered at once. */
@Module({
  imports: [IndexesApiModule, OnlineInferenceModule, ModulesApiModule],
  controllers: [FacesController],
  providers: [Faces, SearchedPeople],
  exports: [Faces],
})
export class FacesApiModule {}
