import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { ModelsApiModule } from '../models/models.module.js';
import { TrainingsController } from './trainings.controller.js';

/** Trainings of models. */
@Module({ imports: [HttpModule, ModelsApiModule], controllers: [TrainingsController] })
export class TrainingsApiModule {}
