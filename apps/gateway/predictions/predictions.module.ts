import { Module } from '@nestjs/common';
import { LooksModule } from '../looks/looks.module.js';
import { ModelsApiModule } from '../models/models.module.js';
import { ModulesApiModule } from '../modules/modules.module.js';
import { PredictionsController } from './predictions.controller.js';

/** What models say of single pictures, at once. */
@Module({ imports: [LooksModule, ModelsApiModule, ModulesApiModule], controllers: [PredictionsController] })
export class PredictionsApiModule {}
