import { Module } from '@nestjs/common';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { OnlineInference } from './online-inference.js';
import { Pictures } from './pictures.js';

/** Single pictures that are answered at once. */
@Module({ imports: [JobsApiModule], providers: [OnlineInference, Pictures], exports: [OnlineInference, Pictures] })
export class OnlineInferenceModule {}
