import { Module } from '@nestjs/common';
import { OnlineInferenceModule } from '../online-inference/online-inference.module.js';
import { ModelsApiModule } from '../models/models.module.js';
import { ModulesApiModule } from '../modules/modules.module.js';
import { PredictionsController } from './predictions.controller.js';

/** Predictions of models for single pictures, answered at once. */
@Module({ imports: [OnlineInferenceModule, ModelsApiModule, ModulesApiModule], controllers: [PredictionsController] })
export class PredictionsApiModule {}
